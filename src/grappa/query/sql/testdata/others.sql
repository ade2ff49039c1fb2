-- Queries as benchmarks of other kinds ask them.

-- Clicks: few tables, many groups, dates, texts.
SELECT COUNT(*) FROM hits WHERE AdvEngineID <> 0;
SELECT SUM(AdvEngineID), COUNT(*), AVG(ResolutionWidth) FROM hits;
SELECT COUNT(DISTINCT SearchPhrase) FROM hits;
SELECT MIN(EventDate), MAX(EventDate) FROM hits;
SELECT RegionID, SUM(AdvEngineID), COUNT(*) AS c, AVG(ResolutionWidth), COUNT(DISTINCT UserID)
FROM hits GROUP BY RegionID ORDER BY c DESC LIMIT 10;
SELECT UserID, extract(minute FROM EventTime) AS m, SearchPhrase, COUNT(*)
FROM hits GROUP BY UserID, m, SearchPhrase ORDER BY COUNT(*) DESC LIMIT 10;
SELECT SearchPhrase, MIN(URL), COUNT(*) AS c FROM hits
WHERE Title LIKE '%Google%' AND URL NOT LIKE '%.google.%' AND SearchPhrase <> ''
GROUP BY SearchPhrase ORDER BY c DESC LIMIT 10;
SELECT REGEXP_REPLACE(Referer, '^https?://(?:www\.)?([^/]+)/.*$', '\1') AS k,
  AVG(STRLEN(Referer)) AS l, COUNT(*) AS c, MIN(Referer)
FROM hits WHERE Referer <> '' GROUP BY k HAVING COUNT(*) > 100000 ORDER BY l DESC LIMIT 25;
SELECT ClientIP, ClientIP - 1, ClientIP - 2, COUNT(*) AS c
FROM hits GROUP BY ClientIP, ClientIP - 1, ClientIP - 2 ORDER BY c DESC LIMIT 10;
SELECT TraficSourceID, CASE WHEN (SearchEngineID = 0 AND AdvEngineID = 0) THEN Referer ELSE '' END
  AS Src, URL AS Dst, COUNT(*) AS PageViews
FROM hits
WHERE CounterID = 62 AND EventDate >= '2013-07-01' AND EventDate <= '2013-07-31' AND IsRefresh = 0
GROUP BY TraficSourceID, Src, Dst ORDER BY PageViews DESC LIMIT 10 OFFSET 1000;
SELECT DATE_TRUNC('minute', EventTime) AS M, COUNT(*) AS PageViews FROM hits
WHERE CounterID = 62 GROUP BY DATE_TRUNC('minute', EventTime)
ORDER BY DATE_TRUNC('minute', EventTime) LIMIT 10 OFFSET 1000;

-- Films: many joins.
SELECT MIN(mc.note) AS production_note, MIN(t.title) AS movie_title,
  MIN(t.production_year) AS movie_year
FROM company_type AS ct, info_type AS it, movie_companies AS mc, movie_info_idx AS mi_idx, title AS t
WHERE ct.kind = 'production companies' AND it.info = 'top 250 rank'
  AND mc.note NOT LIKE '%(as Metro-Goldwyn-Mayer Pictures)%'
  AND (mc.note LIKE '%(co-production)%' OR mc.note LIKE '%(presents)%')
  AND ct.id = mc.company_type_id AND t.id = mc.movie_id AND t.id = mi_idx.movie_id
  AND mc.movie_id = mi_idx.movie_id AND it.id = mi_idx.info_type_id;
SELECT MIN(k.keyword), MIN(n.name), MIN(t.title)
FROM cast_info AS ci, keyword AS k, movie_keyword AS mk, name AS n, title AS t
WHERE k.keyword IN ('superhero', 'sequel', 'second-part') AND n.name LIKE '%Downey%Robert%'
  AND t.production_year > 2014 AND k.id = mk.keyword_id AND t.id = mk.movie_id
  AND t.id = ci.movie_id AND ci.movie_id = mk.movie_id AND n.id = ci.person_id
  AND mc.note IS NULL AND ci.role_id IS NOT NULL
  AND t.production_year BETWEEN 1950 AND 2010 AND (t.title ~ '^[A-Z]' OR n.name !~* 'x$');

-- Publications as triples.
SELECT T3.object AS yr
FROM triples T1 JOIN triples T2 ON T1.subject = T2.subject JOIN triples T3 ON T1.subject = T3.subject
WHERE T1.predicate = 'rdf:type' AND T1.object = 'bench:Journal' AND T2.predicate = 'dc:title'
  AND T2.object = '"Journal 1 (1940)"^^xsd:string' AND T3.predicate = 'dcterms:issued';
SELECT DISTINCT LEAST(P1.name, P2.name) AS name1, GREATEST(P1.name, P2.name) AS name2
FROM creators C1 INNER JOIN creators C2 USING (article) INNER JOIN persons P1 ON C1.person = P1.id
  INNER JOIN persons P2 ON C2.person = P2.id
WHERE P1.name < P2.name;
SELECT L.yr, L.name, L.doc FROM (
  SELECT docs.id AS doc, docs.yr AS yr, c.person AS author, p.name AS name
  FROM documents docs JOIN creators c ON c.doc = docs.id JOIN persons p ON p.id = c.person
) AS L LEFT OUTER JOIN (
  SELECT docs.yr AS yr2, c.person AS author2
  FROM documents docs JOIN creators c ON c.doc = docs.id
) AS R ON L.author = R.author2 AND R.yr2 < L.yr
WHERE R.author2 IS NULL;

-- Shops: windows, grouping sets, common tables.
WITH year_total AS (
  SELECT c_customer_id customer_id, d_year dyear,
    sum(((ss_ext_list_price - ss_ext_wholesale_cost - ss_ext_discount_amt)
      + ss_ext_sales_price) / 2) year_total, 's' sale_type
  FROM customer, store_sales, date_dim
  WHERE c_customer_sk = ss_customer_sk AND ss_sold_date_sk = d_date_sk
  GROUP BY c_customer_id, d_year
  UNION ALL
  SELECT c_customer_id customer_id, d_year dyear, sum(cs_net_paid) year_total, 'c' sale_type
  FROM customer, catalog_sales, date_dim
  WHERE c_customer_sk = cs_bill_customer_sk AND cs_sold_date_sk = d_date_sk
  GROUP BY c_customer_id, d_year
)
SELECT t_s.customer_id
FROM year_total t_s, year_total t_c
WHERE t_s.customer_id = t_c.customer_id AND t_s.sale_type = 's' AND t_c.sale_type = 'c'
  AND CASE WHEN t_s.year_total > 0 THEN t_c.year_total / t_s.year_total ELSE NULL END
    > CASE WHEN t_s.dyear > 2000 THEN 1.5 ELSE 2 END
ORDER BY 1 NULLS FIRST LIMIT 100;
SELECT i_category, i_class, sum(ss_net_profit) / sum(ss_ext_sales_price) AS gross_margin,
  grouping(i_category) + grouping(i_class) AS lochierarchy,
  rank() OVER (
    PARTITION BY grouping(i_category) + grouping(i_class),
      CASE WHEN grouping(i_class) = 0 THEN i_category END
    ORDER BY sum(ss_net_profit) / sum(ss_ext_sales_price) ASC) AS rank_within_parent
FROM store_sales, item WHERE i_item_sk = ss_item_sk
GROUP BY ROLLUP (i_category, i_class)
ORDER BY lochierarchy DESC, CASE WHEN lochierarchy = 0 THEN i_category END, rank_within_parent;
SELECT item_sk, d_date, sum(web_sales) OVER w AS web_cumulative
FROM v WINDOW w AS (PARTITION BY item_sk ORDER BY d_date
  ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW);
SELECT count(*) FROM (
  (SELECT DISTINCT c_last_name, d_date FROM store_sales)
  INTERSECT (SELECT DISTINCT c_last_name, d_date FROM catalog_sales)
  EXCEPT (SELECT DISTINCT c_last_name, d_date FROM web_sales)
) cool_cust;
