-- 1
-- Year of a journal.
SELECT issued.o AS yr
FROM triples type
JOIN triples title ON title.s = type.s
JOIN triples issued ON issued.s = type.s
WHERE type.p = <rdf:type> AND type.o = <bench:Journal>
  AND title.p = <dc:title> AND title.o = <Journal 1 (1940)>
  AND issued.p = <dcterms:issued>
-- 2
-- any order: a year has many rows
SELECT type.s AS inproc, creator.o AS author, booktitle.o AS booktitle, title.o AS title,
       part.o AS proc, ee.o AS ee, pages.o AS page, home.o AS url, issued.o AS yr,
       abstract.o AS abstract
FROM triples type
JOIN triples creator ON creator.s = type.s AND creator.p = <dc:creator>
JOIN triples booktitle ON booktitle.s = type.s AND booktitle.p = <bench:booktitle>
JOIN triples title ON title.s = type.s AND title.p = <dc:title>
JOIN triples part ON part.s = type.s AND part.p = <dcterms:partOf>
JOIN triples ee ON ee.s = type.s AND ee.p = <rdfs:seeAlso>
JOIN triples pages ON pages.s = type.s AND pages.p = <swrc:pages>
JOIN triples home ON home.s = type.s AND home.p = <foaf:homepage>
JOIN triples issued ON issued.s = type.s AND issued.p = <dcterms:issued>
LEFT JOIN triples abstract ON abstract.s = type.s AND abstract.p = <bench:abstract>
WHERE type.p = <rdf:type> AND type.o = <bench:Inproceedings>
ORDER BY yr
-- 3a
-- any order
SELECT type.s AS article
FROM triples type JOIN triples property ON property.s = type.s
WHERE type.p = <rdf:type> AND type.o = <bench:Article> AND property.p = <swrc:pages>
-- 3b
-- any order
SELECT type.s AS article
FROM triples type JOIN triples property ON property.s = type.s
WHERE type.p = <rdf:type> AND type.o = <bench:Article> AND property.p = <swrc:month>
-- 3c
SELECT type.s AS article
FROM triples type JOIN triples property ON property.s = type.s
WHERE type.p = <rdf:type> AND type.o = <bench:Article> AND property.p = <swrc:isbn>
-- 4
-- Counted, because it has millions of rows.
SELECT count(*) AS pairs, min(name1) AS first, max(name2) AS last
FROM (
  SELECT DISTINCT name1.o AS name1, name2.o AS name2
  FROM triples type1
  JOIN triples creator1 ON creator1.s = type1.s AND creator1.p = <dc:creator>
  JOIN triples name1 ON name1.s = creator1.o AND name1.p = <foaf:name>
  JOIN triples journal1 ON journal1.s = type1.s AND journal1.p = <swrc:journal>
  JOIN triples journal2 ON journal2.o = journal1.o AND journal2.p = <swrc:journal>
  JOIN triples type2 ON type2.s = journal2.s AND type2.p = <rdf:type> AND type2.o = <bench:Article>
  JOIN triples creator2 ON creator2.s = type2.s AND creator2.p = <dc:creator>
  JOIN triples name2 ON name2.s = creator2.o AND name2.p = <foaf:name>
  WHERE type1.p = <rdf:type> AND type1.o = <bench:Article> AND name1.o < name2.o
) pair
-- 5a
-- any order
SELECT DISTINCT creator1.o AS person, name1.o AS name
FROM triples type1
JOIN triples creator1 ON creator1.s = type1.s AND creator1.p = <dc:creator>
JOIN triples name1 ON name1.s = creator1.o AND name1.p = <foaf:name>
JOIN triples name2 ON name2.o = name1.o AND name2.p = <foaf:name>
JOIN triples creator2 ON creator2.o = name2.s AND creator2.p = <dc:creator>
JOIN triples type2 ON type2.s = creator2.s AND type2.p = <rdf:type> AND type2.o = <bench:Inproceedings>
WHERE type1.p = <rdf:type> AND type1.o = <bench:Article>
-- 5b
-- any order
SELECT DISTINCT creator1.o AS person, name.o AS name
FROM triples type1
JOIN triples creator1 ON creator1.s = type1.s AND creator1.p = <dc:creator>
JOIN triples creator2 ON creator2.o = creator1.o AND creator2.p = <dc:creator>
JOIN triples type2 ON type2.s = creator2.s AND type2.p = <rdf:type> AND type2.o = <bench:Inproceedings>
JOIN triples name ON name.s = creator1.o AND name.p = <foaf:name>
WHERE type1.p = <rdf:type> AND type1.o = <bench:Article>
-- 6
-- any order
-- What authors have published in their first year.
SELECT issued.o AS yr, name.o AS name, type.s AS document
FROM triples class
JOIN triples type ON type.o = class.s AND type.p = <rdf:type>
JOIN triples issued ON issued.s = type.s AND issued.p = <dcterms:issued>
JOIN triples creator ON creator.s = type.s AND creator.p = <dc:creator>
JOIN triples name ON name.s = creator.o AND name.p = <foaf:name>
LEFT JOIN (
  SELECT creator2.o AS author, issued2.o AS yr
  FROM triples class2
  JOIN triples type2 ON type2.o = class2.s AND type2.p = <rdf:type>
  JOIN triples issued2 ON issued2.s = type2.s AND issued2.p = <dcterms:issued>
  JOIN triples creator2 ON creator2.s = type2.s AND creator2.p = <dc:creator>
  WHERE class2.p = <rdfs:subClassOf> AND class2.o = <foaf:Document>
) earlier ON earlier.author = creator.o AND earlier.yr < issued.o
WHERE class.p = <rdfs:subClassOf> AND class.o = <foaf:Document> AND earlier.author IS NULL
-- 7
-- any order
-- Titles of what has been cited, but not by what has not been cited itself.
SELECT DISTINCT title.o AS title
FROM triples class
JOIN triples type ON type.o = class.s AND type.p = <rdf:type>
JOIN triples title ON title.s = type.s AND title.p = <dc:title>
JOIN triples member ON member.o = type.s
JOIN triples refers ON refers.o = member.s AND refers.p = <dcterms:references>
WHERE class.p = <rdfs:subClassOf> AND class.o = <foaf:Document>
  AND NOT EXISTS (
    SELECT 1
    FROM triples class3
    JOIN triples type3 ON type3.o = class3.s AND type3.p = <rdf:type>
    JOIN triples refers3 ON refers3.s = type3.s AND refers3.p = <dcterms:references>
    JOIN triples member3 ON member3.s = refers3.o
    WHERE class3.p = <rdfs:subClassOf> AND class3.o = <foaf:Document> AND member3.o = type.s
      AND NOT EXISTS (
        SELECT 1
        FROM triples class4
        JOIN triples type4 ON type4.o = class4.s AND type4.p = <rdf:type>
        JOIN triples refers4 ON refers4.s = type4.s AND refers4.p = <dcterms:references>
        JOIN triples member4 ON member4.s = refers4.o
        WHERE class4.p = <rdfs:subClassOf> AND class4.o = <foaf:Document>
          AND member4.o = type3.s))
-- 8
-- any order
-- Who has written with Paul Erdoes, or with somebody who has.
SELECT DISTINCT name
FROM (
  SELECT name.o AS name
  FROM triples erdoes
  JOIN triples erdoes_name ON erdoes_name.s = erdoes.s AND erdoes_name.p = <foaf:name>
  JOIN triples creator0 ON creator0.o = erdoes.s AND creator0.p = <dc:creator>
  JOIN triples creator1 ON creator1.s = creator0.s AND creator1.p = <dc:creator>
  JOIN triples creator2 ON creator2.o = creator1.o AND creator2.p = <dc:creator>
  JOIN triples creator3 ON creator3.s = creator2.s AND creator3.p = <dc:creator>
  JOIN triples name ON name.s = creator3.o AND name.p = <foaf:name>
  WHERE erdoes.p = <rdf:type> AND erdoes.o = <foaf:Person>
    AND erdoes_name.o = <name of Paul Erdoes>
    AND creator1.o <> erdoes.s AND creator2.s <> creator0.s
    AND creator3.o <> erdoes.s AND creator3.o <> creator1.o
  UNION ALL
  SELECT name.o
  FROM triples erdoes
  JOIN triples erdoes_name ON erdoes_name.s = erdoes.s AND erdoes_name.p = <foaf:name>
  JOIN triples creator0 ON creator0.o = erdoes.s AND creator0.p = <dc:creator>
  JOIN triples creator1 ON creator1.s = creator0.s AND creator1.p = <dc:creator>
  JOIN triples name ON name.s = creator1.o AND name.p = <foaf:name>
  WHERE erdoes.p = <rdf:type> AND erdoes.o = <foaf:Person>
    AND erdoes_name.o = <name of Paul Erdoes> AND creator1.o <> erdoes.s
) found
-- 9
-- any order
SELECT DISTINCT predicate
FROM (
  SELECT other.p AS predicate
  FROM triples person JOIN triples other ON other.o = person.s
  WHERE person.p = <rdf:type> AND person.o = <foaf:Person>
  UNION ALL
  SELECT other.p
  FROM triples person JOIN triples other ON other.s = person.s
  WHERE person.p = <rdf:type> AND person.o = <foaf:Person>
) found
-- 10
-- any order
SELECT s AS subject, p AS predicate FROM triples WHERE o = <Paul Erdoes>
-- 11
SELECT o AS ee FROM triples WHERE p = <rdfs:seeAlso> ORDER BY ee LIMIT 10 OFFSET 50
-- 12a
SELECT EXISTS (
  SELECT 1
  FROM triples type1
  JOIN triples creator1 ON creator1.s = type1.s AND creator1.p = <dc:creator>
  JOIN triples name1 ON name1.s = creator1.o AND name1.p = <foaf:name>
  JOIN triples name2 ON name2.o = name1.o AND name2.p = <foaf:name>
  JOIN triples creator2 ON creator2.o = name2.s AND creator2.p = <dc:creator>
  JOIN triples type2 ON type2.s = creator2.s AND type2.p = <rdf:type>
    AND type2.o = <bench:Inproceedings>
  WHERE type1.p = <rdf:type> AND type1.o = <bench:Article>) AS yes
-- 12b
SELECT EXISTS (
  SELECT 1
  FROM triples erdoes
  JOIN triples erdoes_name ON erdoes_name.s = erdoes.s AND erdoes_name.p = <foaf:name>
  JOIN triples creator0 ON creator0.o = erdoes.s AND creator0.p = <dc:creator>
  JOIN triples creator1 ON creator1.s = creator0.s AND creator1.p = <dc:creator>
  JOIN triples name ON name.s = creator1.o AND name.p = <foaf:name>
  WHERE erdoes.p = <rdf:type> AND erdoes.o = <foaf:Person>
    AND erdoes_name.o = <name of Paul Erdoes> AND creator1.o <> erdoes.s) AS yes
-- 12c
SELECT EXISTS (
  SELECT 1 FROM triples
  WHERE s = <John Q. Public> AND p = <rdf:type> AND o = <foaf:Person>) AS yes
