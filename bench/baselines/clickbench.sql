-- The questions of ClickBench (A. Milovidov and others, 2022) about hits of web pages, by their
-- numbers. Otherwise than there, rows that are alike by what orders them are in the order of their
-- other columns, so that there is one answer; 18, which has no order, counts its ten rows; and what
-- stands in angle brackets fits the table, which clickbench.py makes.

-- 1
select count(*) from hits;

-- 2
select count(*) from hits where AdvEngineID <> 0;

-- 3
select sum(AdvEngineID), count(*), avg(ResolutionWidth) from hits;

-- 4
select avg(UserID) from hits;

-- 5
select count(distinct UserID) from hits;

-- 6
select count(distinct SearchPhrase) from hits;

-- 7
select min(EventDate), max(EventDate) from hits;

-- 8
select AdvEngineID, count(*) from hits where AdvEngineID <> 0
group by AdvEngineID order by count(*) desc, 1;

-- 9
select RegionID, count(distinct UserID) as u from hits
group by RegionID order by u desc, 1 limit 10;

-- 10
select RegionID, sum(AdvEngineID), count(*) as c, avg(ResolutionWidth), count(distinct UserID)
from hits group by RegionID order by c desc, 1 limit 10;

-- 11
select MobilePhoneModel, count(distinct UserID) as u from hits where MobilePhoneModel <> ''
group by MobilePhoneModel order by u desc, 1 limit 10;

-- 12
select MobilePhone, MobilePhoneModel, count(distinct UserID) as u from hits
where MobilePhoneModel <> ''
group by MobilePhone, MobilePhoneModel order by u desc, 1, 2 limit 10;

-- 13
select SearchPhrase, count(*) as c from hits where SearchPhrase <> ''
group by SearchPhrase order by c desc, 1 limit 10;

-- 14
select SearchPhrase, count(distinct UserID) as u from hits where SearchPhrase <> ''
group by SearchPhrase order by u desc, 1 limit 10;

-- 15
select SearchEngineID, SearchPhrase, count(*) as c from hits where SearchPhrase <> ''
group by SearchEngineID, SearchPhrase order by c desc, 1, 2 limit 10;

-- 16
select UserID, count(*) from hits group by UserID order by count(*) desc, 1 limit 10;

-- 17
select UserID, SearchPhrase, count(*) from hits
group by UserID, SearchPhrase order by count(*) desc, 1, 2 limit 10;

-- 18
select count(*), min(c) > 0 from (
    select UserID, SearchPhrase, count(*) as c from hits group by UserID, SearchPhrase limit 10);

-- 19
select UserID, extract(minute from EventTime) as m, SearchPhrase, count(*) from hits
group by UserID, m, SearchPhrase order by count(*) desc, 1, 2, 3 limit 10;

-- 20
select UserID from hits where UserID = <user>;

-- 21
select count(*) from hits where URL like '%google%';

-- 22
select SearchPhrase, min(URL), count(*) as c from hits
where URL like '%google%' and SearchPhrase <> ''
group by SearchPhrase order by c desc, 1 limit 10;

-- 23
select SearchPhrase, min(URL), min(Title), count(*) as c, count(distinct UserID) from hits
where Title like '%Google%' and URL not like '%.google.%' and SearchPhrase <> ''
group by SearchPhrase order by c desc, 1 limit 10;

-- 24
select * from hits where URL like '%google%' order by EventTime, WatchID limit 10;

-- 25
select SearchPhrase from hits where SearchPhrase <> '' order by EventTime, WatchID limit 10;

-- 26
select SearchPhrase from hits where SearchPhrase <> '' order by SearchPhrase limit 10;

-- 27
select SearchPhrase from hits where SearchPhrase <> ''
order by EventTime, SearchPhrase limit 10;

-- 28
select CounterID, avg(length(URL)) as l, count(*) as c from hits where URL <> ''
group by CounterID having count(*) > <many> order by l desc, 1 limit 25;

-- 29
select regexp_replace(Referer, '^https?://(?:www\.)?([^/]+)/.*$', '\1') as k,
    avg(length(Referer)) as l, count(*) as c, min(Referer)
from hits where Referer <> ''
group by k having count(*) > <many> order by l desc, 1 limit 25;

-- 30
select
    sum(ResolutionWidth), sum(ResolutionWidth + 1), sum(ResolutionWidth + 2),
    sum(ResolutionWidth + 3), sum(ResolutionWidth + 4), sum(ResolutionWidth + 5),
    sum(ResolutionWidth + 6), sum(ResolutionWidth + 7), sum(ResolutionWidth + 8),
    sum(ResolutionWidth + 9), sum(ResolutionWidth + 10), sum(ResolutionWidth + 11),
    sum(ResolutionWidth + 12), sum(ResolutionWidth + 13), sum(ResolutionWidth + 14),
    sum(ResolutionWidth + 15), sum(ResolutionWidth + 16), sum(ResolutionWidth + 17),
    sum(ResolutionWidth + 18), sum(ResolutionWidth + 19), sum(ResolutionWidth + 20),
    sum(ResolutionWidth + 21), sum(ResolutionWidth + 22), sum(ResolutionWidth + 23),
    sum(ResolutionWidth + 24), sum(ResolutionWidth + 25), sum(ResolutionWidth + 26),
    sum(ResolutionWidth + 27), sum(ResolutionWidth + 28), sum(ResolutionWidth + 29),
    sum(ResolutionWidth + 30), sum(ResolutionWidth + 31), sum(ResolutionWidth + 32),
    sum(ResolutionWidth + 33), sum(ResolutionWidth + 34), sum(ResolutionWidth + 35),
    sum(ResolutionWidth + 36), sum(ResolutionWidth + 37), sum(ResolutionWidth + 38),
    sum(ResolutionWidth + 39), sum(ResolutionWidth + 40), sum(ResolutionWidth + 41),
    sum(ResolutionWidth + 42), sum(ResolutionWidth + 43), sum(ResolutionWidth + 44),
    sum(ResolutionWidth + 45), sum(ResolutionWidth + 46), sum(ResolutionWidth + 47),
    sum(ResolutionWidth + 48), sum(ResolutionWidth + 49), sum(ResolutionWidth + 50),
    sum(ResolutionWidth + 51), sum(ResolutionWidth + 52), sum(ResolutionWidth + 53),
    sum(ResolutionWidth + 54), sum(ResolutionWidth + 55), sum(ResolutionWidth + 56),
    sum(ResolutionWidth + 57), sum(ResolutionWidth + 58), sum(ResolutionWidth + 59),
    sum(ResolutionWidth + 60), sum(ResolutionWidth + 61), sum(ResolutionWidth + 62),
    sum(ResolutionWidth + 63), sum(ResolutionWidth + 64), sum(ResolutionWidth + 65),
    sum(ResolutionWidth + 66), sum(ResolutionWidth + 67), sum(ResolutionWidth + 68),
    sum(ResolutionWidth + 69), sum(ResolutionWidth + 70), sum(ResolutionWidth + 71),
    sum(ResolutionWidth + 72), sum(ResolutionWidth + 73), sum(ResolutionWidth + 74),
    sum(ResolutionWidth + 75), sum(ResolutionWidth + 76), sum(ResolutionWidth + 77),
    sum(ResolutionWidth + 78), sum(ResolutionWidth + 79), sum(ResolutionWidth + 80),
    sum(ResolutionWidth + 81), sum(ResolutionWidth + 82), sum(ResolutionWidth + 83),
    sum(ResolutionWidth + 84), sum(ResolutionWidth + 85), sum(ResolutionWidth + 86),
    sum(ResolutionWidth + 87), sum(ResolutionWidth + 88), sum(ResolutionWidth + 89)
from hits;

-- 31
select SearchEngineID, ClientIP, count(*) as c, sum(IsRefresh), avg(ResolutionWidth) from hits
where SearchPhrase <> ''
group by SearchEngineID, ClientIP order by c desc, 1, 2 limit 10;

-- 32
select WatchID, ClientIP, count(*) as c, sum(IsRefresh), avg(ResolutionWidth) from hits
where SearchPhrase <> ''
group by WatchID, ClientIP order by c desc, 1, 2 limit 10;

-- 33
select WatchID, ClientIP, count(*) as c, sum(IsRefresh), avg(ResolutionWidth) from hits
group by WatchID, ClientIP order by c desc, 1, 2 limit 10;

-- 34
select URL, count(*) as c from hits group by URL order by c desc, 1 limit 10;

-- 35
select 1, URL, count(*) as c from hits group by 1, URL order by c desc, 2 limit 10;

-- 36
select ClientIP, ClientIP - 1, ClientIP - 2, ClientIP - 3, count(*) as c from hits
group by ClientIP, ClientIP - 1, ClientIP - 2, ClientIP - 3 order by c desc, 1 limit 10;

-- 37
select URL, count(*) as PageViews from hits
where CounterID = 62 and EventDate >= '2013-07-01' and EventDate <= '2013-07-31'
    and DontCountHits = 0 and IsRefresh = 0 and URL <> ''
group by URL order by PageViews desc, 1 limit 10;

-- 38
select Title, count(*) as PageViews from hits
where CounterID = 62 and EventDate >= '2013-07-01' and EventDate <= '2013-07-31'
    and DontCountHits = 0 and IsRefresh = 0 and Title <> ''
group by Title order by PageViews desc, 1 limit 10;

-- 39
select URL, count(*) as PageViews from hits
where CounterID = 62 and EventDate >= '2013-07-01' and EventDate <= '2013-07-31'
    and IsRefresh = 0 and IsLink <> 0 and IsDownload = 0
group by URL order by PageViews desc, 1 limit 10 offset <page>;

-- 40
select TraficSourceID, SearchEngineID, AdvEngineID,
    case when SearchEngineID = 0 and AdvEngineID = 0 then Referer else '' end as Src,
    URL as Dst, count(*) as PageViews
from hits
where CounterID = 62 and EventDate >= '2013-07-01' and EventDate <= '2013-07-31'
    and IsRefresh = 0
group by TraficSourceID, SearchEngineID, AdvEngineID, Src, Dst
order by PageViews desc, 1, 2, 3, 4, 5 limit 10 offset <page>;

-- 41
select URLHash, EventDate, count(*) as PageViews from hits
where CounterID = 62 and EventDate >= '2013-07-01' and EventDate <= '2013-07-31'
    and IsRefresh = 0 and TraficSourceID in (-1, 6) and RefererHash = <referer>
group by URLHash, EventDate order by PageViews desc, 1, 2 limit 10 offset <page>;

-- 42
select WindowClientWidth, WindowClientHeight, count(*) as PageViews from hits
where CounterID = 62 and EventDate >= '2013-07-01' and EventDate <= '2013-07-31'
    and IsRefresh = 0 and DontCountHits = 0 and URLHash = <url>
group by WindowClientWidth, WindowClientHeight
order by PageViews desc, 1, 2 limit 10 offset <page>;

-- 43
select date_trunc('minute', EventTime) as M, count(*) as PageViews from hits
where CounterID = 62 and EventDate >= '2013-07-14' and EventDate <= '2013-07-15'
    and IsRefresh = 0 and DontCountHits = 0
group by date_trunc('minute', EventTime)
order by date_trunc('minute', EventTime) limit 10 offset 1000;
