"""ClickBench's table of hits of web pages, as far as its questions name columns.

    constants = make(database, 1_000_000)

ClickBench itself has a hundred million rows of real traffic, of 105 columns. These are drawn, by
DuckDB and always the same: sites, pages, users and phrases by power laws, most phrases, models and
referers empty as they are there.
"""

DRAWN = """
CREATE MACRO drawn(i, k) AS hash(i * 64 + k) / 18446744073709551616.0;
CREATE MACRO power(i, k, n) AS floor(pow(drawn(i, k), 4) * n)::BIGINT;
CREATE MACRO word(n) AS substr(md5(n::VARCHAR), 1, 4 + n % 8);
CREATE MACRO page(site, n) AS 'http://' || CASE WHEN n % 7 = 0 THEN 'www.' ELSE '' END
    || CASE WHEN site % 97 = 11 THEN 'maps.google.' || site ELSE word(site) END || '.com/'
    || CASE WHEN n = 0 THEN '' ELSE word(site * 7919 + n) || '/' || word(n) || '?from=' || n END;

CREATE TABLE hits AS
WITH chosen AS (
    SELECT i, power(i, 1, {users}) AS visitor, power(i, 2, 6000) AS site, power(i, 3, {pages}) AS page,
        power(i, 4, {pages}) AS before, drawn(i, 5) AS time, drawn(i, 6) AS searched,
        power(i, 7, {phrases}) AS phrase, drawn(i, 8) AS advertised, drawn(i, 9) AS window_of
    FROM range({rows}) AS numbers(i)),
named AS (
    SELECT *, page(site, page) AS URL,
        CASE WHEN before % 4 = 0 THEN '' ELSE page(before % 6000, before) END AS Referer
    FROM chosen)
SELECT (hash(i) >> 1)::BIGINT AS WatchID,
    CASE WHEN site % 97 = 11 OR page % 50 = 7 THEN 'Google: ' ELSE '' END || word(page) || ' – ' || word(site)
        AS Title,
    TIMESTAMP '2013-07-01' + INTERVAL 1 SECOND * floor(time * 2678400)::BIGINT AS EventTime,
    EventTime::DATE AS EventDate,
    (62 + site * 13)::INTEGER AS CounterID,
    ((hash(visitor // 2) % 4294967000)::BIGINT - 2147483000)::INTEGER AS ClientIP,
    (1 + power(visitor, 15, 5000))::INTEGER AS RegionID,
    (hash(visitor + 7) >> 1)::BIGINT AS UserID,
    URL, Referer,
    (drawn(i, 10) < 0.15)::SMALLINT AS IsRefresh,
    [0, 1024, 1280, 1366, 1440, 1600, 1680, 1920][1 + visitor % 8]::SMALLINT AS ResolutionWidth,
    CASE WHEN advertised < 0.97 THEN 0 ELSE 1 + floor((advertised - 0.97) * 1000) END::SMALLINT
        AS AdvEngineID,
    CASE WHEN searched < 0.87 THEN 0 ELSE 1 + phrase % 40 END::SMALLINT AS SearchEngineID,
    CASE WHEN searched < 0.87 THEN '' ELSE word(phrase) || ' ' || word(phrase * 3 + 1) || ' ' || word(phrase % 100)
        END AS SearchPhrase,
    CASE WHEN visitor % 13 <> 5 THEN 0 ELSE 1 + visitor % 70 END::SMALLINT AS MobilePhone,
    CASE WHEN visitor % 13 <> 5 THEN '' ELSE word(visitor % 170) END AS MobilePhoneModel,
    CASE WHEN before % 4 = 0 THEN 0 WHEN searched >= 0.87 THEN 2 ELSE before % 8 - 1 END::SMALLINT
        AS TraficSourceID,
    (drawn(i, 11) < 0.05)::SMALLINT AS DontCountHits,
    (drawn(i, 12) < 0.1)::SMALLINT AS IsLink,
    (drawn(i, 13) < 0.01)::SMALLINT AS IsDownload,
    (hash(Referer) >> 1)::BIGINT AS RefererHash,
    (hash(URL) >> 1)::BIGINT AS URLHash,
    floor(window_of * 2000)::SMALLINT AS WindowClientWidth,
    floor(drawn(i, 14) * 1000)::SMALLINT AS WindowClientHeight
FROM named
"""


def make(database, rows):
    """What the questions name: a user, a referer and a page that are there, and what is many."""
    database.execute(DRAWN.format(rows=rows, users=max(rows // 6, 1), pages=max(rows // 50, 1),
                                  phrases=max(rows // 20, 1)))
    (user,) = database.execute("SELECT max(UserID) FROM hits").fetchone()
    often = ("SELECT {0} FROM hits WHERE CounterID = 62 AND IsRefresh = 0 {1} GROUP BY {0} "
             "ORDER BY count(*) DESC, {0} LIMIT 1")
    (url,) = database.execute(often.format("URLHash", "")).fetchone()
    (referer,) = database.execute(
        often.format("RefererHash", "AND TraficSourceID IN (-1, 6)")).fetchone()
    return {"user": user, "url": url, "referer": referer, "many": rows // 1000, "page": rows // 10_000}
