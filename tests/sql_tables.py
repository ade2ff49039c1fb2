"""The tables that tests of SQL ask."""

from cli_tool import ToolTest

PEOPLE = """id,name,age,born,city
1,Ann,34,1990-02-03,Oslo
2,Bob,,1985-12-31,Rome
3,Cid,34,2001-07-15,
4,"Dora, the second",70,1955-01-01,Rome
5,Ève,12,2013-05-05,Oslo
"""
SALES = """person,amount,day
1,10.50,2024-01-01
1,20.25,2024-01-03
2,-5.00,2024-01-02
4,100.00,2024-02-29
9,1.00,2024-03-01
"""


class SqlTest(ToolTest):
    def setUp(self):
        super().setUp()
        self.write("people.csv", PEOPLE)
        self.write("sales.csv", SALES)
        self.write("two.csv", '"",007,2000-01-01,6\n')

    def sql(self, query, *options):
        return self.run_tool("sql", query, "--table", "people=people.csv", "--table", "sales=sales.csv",
                             "--output", "csv", *options)
