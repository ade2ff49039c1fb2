-- Questions about films, after the shape of those of the Join Order Benchmark (V. Leis and others, "How
-- Good Are Query Optimizers, Really?", PVLDB 2015): joins of many relations around a film, which
-- conditions on small relations select, and the least of what is found. The texts are our own, over the
-- data of job.py. A number tells how many relations a question joins.

-- 4a
select min(t.title), min(mi.info)
from keyword k, movie_keyword mk, title t, movie_info mi
where k.id = mk.keyword_id and mk.movie_id = t.id and mi.movie_id = t.id
    and k.keyword like '%sequel%' and mi.info in ('Swedish', 'Danish', 'Norwegian', 'German')
    and t.production_year > 1990;

-- 4b
select min(t.title), min(t.production_year), min(cn.name)
from company_name cn, movie_companies mc, title t, kind_type kt
where cn.id = mc.company_id and mc.movie_id = t.id and t.kind_id = kt.id
    and cn.country_code = '[de]' and kt.kind = 'tv movie' and mc.note like '%(TV)%';

-- 4c
select min(mx.info), min(t.title), min(mk.keyword_id)
from info_type it, movie_info_idx mx, movie_keyword mk, title t
where it.id = mx.info_type_id and mx.movie_id = t.id and mk.movie_id = t.id
    and it.info = 'rating' and mx.info > '8.5' and t.production_year between 1980 and 1995;

-- 5a
select min(mc.note), min(t.title), min(t.production_year)
from company_type ct, info_type it, movie_companies mc, movie_info_idx mx, title t
where ct.id = mc.company_type_id and it.id = mx.info_type_id and mc.movie_id = t.id
    and mx.movie_id = t.id and ct.kind = 'production' and it.info = 'top rank'
    and mc.note not like '%(presents)%';

-- 5b
select min(n.name), min(t.title)
from name n, cast_info ci, title t, movie_keyword mk, keyword k
where n.id = ci.person_id and ci.movie_id = t.id and mk.movie_id = t.id and mk.keyword_id = k.id
    and n.name like '%, Tim%' and k.keyword = 'vampire' and t.production_year > 2000;

-- 5c
select min(t.title)
from company_name cn, keyword k, movie_companies mc, movie_keyword mk, title t
where cn.id = mc.company_id and mc.movie_id = t.id and mk.movie_id = t.id and k.id = mk.keyword_id
    and cn.country_code = '[us]' and k.keyword in ('murder', 'blood', 'ghost', 'revenge');

-- 7a
select min(an.name), min(t.title)
from aka_name an, cast_info ci, company_name cn, movie_companies mc, name n, role_type rt, title t
where an.person_id = n.id and n.id = ci.person_id and ci.movie_id = t.id and t.id = mc.movie_id
    and mc.company_id = cn.id and ci.role_id = rt.id and cn.country_code = '[jp]'
    and ci.note = '(voice)' and rt.role = 'actress' and n.gender = 'f';

-- 7b
select min(chn.name), min(t.title)
from char_name chn, cast_info ci, company_name cn, company_type ct, movie_companies mc, role_type rt,
    title t
where chn.id = ci.person_role_id and ci.movie_id = t.id and mc.movie_id = t.id
    and mc.company_id = cn.id and ct.id = mc.company_type_id and rt.id = ci.role_id
    and ci.note like '%(uncredited)%' and cn.country_code = '[fr]' and rt.role = 'actor'
    and t.production_year > 2005;

-- 7c
select min(t1.title), min(t2.title), min(lt.link)
from keyword k, link_type lt, movie_keyword mk, movie_link ml, title t1, title t2, kind_type kt
where k.id = mk.keyword_id and mk.movie_id = t1.id and ml.movie_id = t1.id
    and ml.linked_movie_id = t2.id and lt.id = ml.link_type_id and t2.kind_id = kt.id
    and k.keyword like 'mo%' and lt.link like '%remake%' and kt.kind <> 'episode';

-- 8a
select min(n.name), min(t.title)
from aka_name an, cast_info ci, info_type it, link_type lt, movie_link ml, name n, person_info pi, title t
where an.person_id = n.id and n.id = ci.person_id and pi.person_id = n.id and it.id = pi.info_type_id
    and ci.movie_id = t.id and ml.linked_movie_id = t.id and lt.id = ml.link_type_id
    and it.info = 'biography' and lt.link = 'features' and n.name_pcode_cf between 'A' and 'F'
    and (n.gender = 'm' or (n.gender = 'f' and n.name like 'B%')) and pi.note is not null
    and t.production_year between 1980 and 2005;

-- 8b
select min(cn.name), min(lt.link), min(t.title)
from company_name cn, company_type ct, keyword k, link_type lt, movie_companies mc, movie_keyword mk,
    movie_link ml, title t
where cn.id = mc.company_id and ct.id = mc.company_type_id and mc.movie_id = t.id
    and mk.movie_id = t.id and k.id = mk.keyword_id and ml.movie_id = t.id and lt.id = ml.link_type_id
    and cn.country_code <> '[pl]' and (cn.name like '%Film%' or cn.name like '%Studios%')
    and ct.kind = 'distributor' and k.keyword = 'sequel' and lt.link like '%sequel%'
    and mc.note is not null and t.production_year between 1950 and 2010;

-- 8c
select min(cn.name), min(mx.info), min(t.title)
from company_name cn, company_type ct, info_type it1, info_type it2, movie_companies mc, movie_info mi,
    movie_info_idx mx, title t
where cn.id = mc.company_id and ct.id = mc.company_type_id and mc.movie_id = t.id
    and mi.movie_id = t.id and it1.id = mi.info_type_id and mx.movie_id = t.id
    and it2.id = mx.info_type_id and cn.country_code = '[us]' and ct.kind = 'production'
    and it1.info = 'genre' and mi.info in ('Drama', 'Horror', 'Western', 'Family')
    and it2.info = 'rating' and mx.info > '7.0' and t.production_year between 2000 and 2010;

-- 9a
select min(an.name), min(chn.name), min(t.title)
from aka_name an, char_name chn, cast_info ci, company_name cn, movie_companies mc, name n,
    role_type rt, title t, kind_type kt
where an.person_id = n.id and n.id = ci.person_id and chn.id = ci.person_role_id and ci.movie_id = t.id
    and mc.movie_id = t.id and cn.id = mc.company_id and rt.id = ci.role_id and kt.id = t.kind_id
    and ci.note in ('(voice)', '(voice: English version)') and cn.country_code = '[us]'
    and n.gender = 'f' and n.name like '%an%' and rt.role = 'actress'
    and kt.kind in ('movie', 'game') and t.production_year between 1995 and 2012;

-- 9b
select min(mi.info), min(mx.info), min(t.title)
from cast_info ci, info_type it1, info_type it2, kind_type kt, movie_info mi, movie_info_idx mx, name n,
    role_type rt, title t
where n.id = ci.person_id and ci.movie_id = t.id and rt.id = ci.role_id and mi.movie_id = t.id
    and it1.id = mi.info_type_id and mx.movie_id = t.id and it2.id = mx.info_type_id
    and kt.id = t.kind_id and kt.kind = 'movie' and it1.info = 'budget' and it2.info = 'votes'
    and ci.note in ('(producer)', '(executive producer)') and rt.role = 'producer' and n.gender = 'm'
    and n.name like '%Tim%';

-- 9c
select min(cn.name), min(mi.info), min(t.title)
from company_name cn, company_type ct, info_type it, keyword k, kind_type kt, movie_companies mc,
    movie_info mi, movie_keyword mk, title t
where cn.id = mc.company_id and ct.id = mc.company_type_id and mc.movie_id = t.id
    and mi.movie_id = t.id and it.id = mi.info_type_id and mk.movie_id = t.id
    and k.id = mk.keyword_id and kt.id = t.kind_id and cn.country_code = '[us]'
    and kt.kind = 'movie' and it.info = 'release date' and mi.note like '%internet%'
    and mi.info like 'USA:% 200%' and t.production_year > 2000;

-- 11a
select min(cn.name), min(mx.info), min(t.title)
from company_name cn, company_type ct, info_type it1, info_type it2, keyword k, kind_type kt,
    movie_companies mc, movie_info mi, movie_info_idx mx, movie_keyword mk, title t
where cn.id = mc.company_id and ct.id = mc.company_type_id and mc.movie_id = t.id
    and mi.movie_id = t.id and it1.id = mi.info_type_id and mx.movie_id = t.id
    and it2.id = mx.info_type_id and mk.movie_id = t.id and k.id = mk.keyword_id
    and kt.id = t.kind_id and cn.country_code <> '[us]' and it1.info = 'country'
    and it2.info = 'rating' and k.keyword in ('murder', 'blood', 'violin', 'gun')
    and kt.kind in ('movie', 'episode') and mc.note not like '%(USA)%' and mc.note like '%(200%)%'
    and mi.info in ('Sweden', 'Germany', 'Denmark', 'Japan', 'UK', 'USA') and mx.info < '8.5'
    and t.production_year > 2000;

-- 11b
select min(n.name), min(chn.name), min(t.title)
from aka_name an, char_name chn, cast_info ci, company_name cn, info_type it, kind_type kt,
    movie_companies mc, movie_info mi, name n, role_type rt, title t
where an.person_id = n.id and n.id = ci.person_id and chn.id = ci.person_role_id and ci.movie_id = t.id
    and rt.id = ci.role_id and mc.movie_id = t.id and cn.id = mc.company_id and mi.movie_id = t.id
    and it.id = mi.info_type_id and kt.id = t.kind_id
    and ci.note like '(voice%' and cn.country_code = '[us]' and it.info = 'release date'
    and mi.info like 'Japan:%200%' and rt.role = 'actress' and n.gender = 'f' and kt.kind = 'movie';

-- 11c
select min(lt.link), min(t1.title), min(t2.title)
from company_name cn1, company_type ct, info_type it, kind_type kt, link_type lt, movie_companies mc,
    movie_info mi, movie_link ml, title t1, title t2, movie_info_idx mx
where cn1.id = mc.company_id and ct.id = mc.company_type_id and mc.movie_id = t1.id
    and mi.movie_id = t1.id and ml.movie_id = t1.id and ml.linked_movie_id = t2.id
    and lt.id = ml.link_type_id and kt.id = t2.kind_id and mx.movie_id = t2.id
    and it.id = mx.info_type_id and it.info = 'rating' and mx.info < '6.0' and ct.kind = 'production'
    and lt.link in ('sequel to', 'has sequel', 'features') and kt.kind = 'movie'
    and mi.info in ('Comedy', 'Crime', 'Thriller') and mc.note is null and t1.production_year > 1990;

-- 12a
select min(chn.name), min(mx.info), min(n.name), min(t.title)
from complete_cast cc, comp_cast_type cct1, comp_cast_type cct2, char_name chn, cast_info ci,
    info_type it, keyword k, kind_type kt, movie_info_idx mx, movie_keyword mk, name n, title t
where cc.movie_id = t.id and cct1.id = cc.subject_id and cct2.id = cc.status_id
    and ci.movie_id = t.id and chn.id = ci.person_role_id and n.id = ci.person_id
    and mx.movie_id = t.id and it.id = mx.info_type_id and mk.movie_id = t.id
    and k.id = mk.keyword_id and kt.id = t.kind_id
    and cct1.kind = 'cast' and cct2.kind like '%complete%' and chn.name like '%man%'
    and it.info = 'rating' and mx.info > '6.5' and k.keyword in ('hero', 'magic', 'fire', 'alien', 'vampire')
    and kt.kind = 'movie' and t.production_year > 1990;

-- 12b
select min(t1.title), min(t2.title), min(mi.info)
from movie_link ml, link_type lt, title t1, title t2, movie_keyword mk1, keyword k1, movie_keyword mk2,
    keyword k2, movie_info mi, info_type it, kind_type kt1, kind_type kt2
where lt.id = ml.link_type_id and t1.id = ml.movie_id and t2.id = ml.linked_movie_id
    and mk1.movie_id = t1.id and k1.id = mk1.keyword_id and mk2.movie_id = t2.id
    and k2.id = mk2.keyword_id and mi.movie_id = t2.id and it.id = mi.info_type_id
    and kt1.id = t1.kind_id and kt2.id = t2.kind_id
    and k1.keyword = 'family' and k2.keyword like '%love%' and it.info = 'genre'
    and kt1.kind in ('movie', 'tv series') and kt2.kind in ('movie', 'tv series')
    and t2.production_year between 1970 and 2013;

-- 12c
select min(mi.info), min(mx.info), min(t.title), min(cn.name)
from company_name cn, company_type ct, complete_cast cc, comp_cast_type cct1, comp_cast_type cct2,
    info_type it1, info_type it2, kind_type kt, movie_companies mc, movie_info mi, movie_info_idx mx, title t
where cn.id = mc.company_id and ct.id = mc.company_type_id and mc.movie_id = t.id
    and cc.movie_id = t.id and cct1.id = cc.subject_id and cct2.id = cc.status_id
    and mi.movie_id = t.id and it1.id = mi.info_type_id and mx.movie_id = t.id
    and it2.id = mx.info_type_id and kt.id = t.kind_id
    and cn.country_code in ('[us]', '[gb]') and ct.kind in ('production', 'distributor')
    and cct1.kind = 'crew' and cct2.kind <> 'complete' and it1.info = 'genre'
    and mi.info in ('Drama', 'Horror') and it2.info = 'votes' and t.production_year > 1960
    and kt.kind = 'movie';

-- 14a
select min(cn1.name), min(cn2.name), min(mx1.info), min(mx2.info), min(t1.title), min(t2.title)
from company_name cn1, company_name cn2, info_type it1, info_type it2, kind_type kt1, kind_type kt2,
    link_type lt, movie_companies mc1, movie_companies mc2, movie_info_idx mx1, movie_info_idx mx2,
    movie_link ml, title t1, title t2
where lt.id = ml.link_type_id and t1.id = ml.movie_id and t2.id = ml.linked_movie_id
    and it1.id = mx1.info_type_id and t1.id = mx1.movie_id and kt1.id = t1.kind_id
    and cn1.id = mc1.company_id and t1.id = mc1.movie_id and it2.id = mx2.info_type_id
    and t2.id = mx2.movie_id and kt2.id = t2.kind_id and cn2.id = mc2.company_id
    and t2.id = mc2.movie_id and cn1.country_code = '[us]' and it1.info = 'rating'
    and it2.info = 'rating' and kt1.kind = 'tv series' and kt2.kind = 'tv series'
    and lt.link in ('sequel to', 'has sequel', 'remake of') and mx2.info < '7.5'
    and t2.production_year between 1990 and 2013;

-- 14b
select min(mi.info), min(mx.info), min(n.name), min(t.title)
from complete_cast cc, comp_cast_type cct1, comp_cast_type cct2, cast_info ci, info_type it1,
    info_type it2, keyword k, kind_type kt, movie_info mi, movie_info_idx mx, movie_keyword mk, name n,
    role_type rt, title t
where cc.movie_id = t.id and cct1.id = cc.subject_id and cct2.id = cc.status_id
    and ci.movie_id = t.id and n.id = ci.person_id and rt.id = ci.role_id and mi.movie_id = t.id
    and it1.id = mi.info_type_id and mx.movie_id = t.id and it2.id = mx.info_type_id
    and mk.movie_id = t.id and k.id = mk.keyword_id and kt.id = t.kind_id
    and cct1.kind in ('cast', 'crew') and cct2.kind = 'complete and verified'
    and ci.note in ('(writer)', '(head writer)', '(story)') and it1.info = 'genre'
    and it2.info = 'votes' and k.keyword in ('murder', 'blood', 'monster', 'devil', 'revenge', 'castle')
    and mi.info in ('Horror', 'Thriller', 'Crime', 'Sci-Fi') and n.gender = 'm' and rt.role = 'writer'
    and kt.kind in ('movie', 'video');

-- 14c
select min(an.name), min(chn.name), min(n.name), min(t.title)
from aka_name an, char_name chn, cast_info ci, company_name cn, info_type it, keyword k, kind_type kt,
    movie_companies mc, movie_info mi, movie_keyword mk, name n, role_type rt, title t, company_type ct
where an.person_id = n.id and n.id = ci.person_id and chn.id = ci.person_role_id
    and rt.id = ci.role_id and ci.movie_id = t.id and mc.movie_id = t.id and cn.id = mc.company_id
    and ct.id = mc.company_type_id and mi.movie_id = t.id and it.id = mi.info_type_id
    and mk.movie_id = t.id and k.id = mk.keyword_id and kt.id = t.kind_id
    and ci.note = '(voice)' and cn.country_code = '[us]' and it.info = 'release date'
    and k.keyword in ('computer', 'hero', 'magic', 'love') and kt.kind = 'movie'
    and mi.info like '%:%20%' and n.gender = 'f' and rt.role = 'actress' and n.name like '%a%'
    and t.production_year > 2000;

-- 17a
select min(an.name), min(chn.name), min(n.name), min(t.title)
from aka_name an, complete_cast cc, comp_cast_type cct1, comp_cast_type cct2, char_name chn,
    cast_info ci, company_name cn, info_type it1, info_type it2, keyword k, movie_companies mc,
    movie_info mi, movie_keyword mk, name n, person_info pi, role_type rt, title t
where an.person_id = n.id and n.id = ci.person_id and pi.person_id = n.id and it2.id = pi.info_type_id
    and chn.id = ci.person_role_id and rt.id = ci.role_id and ci.movie_id = t.id
    and mc.movie_id = t.id and cn.id = mc.company_id and mi.movie_id = t.id and it1.id = mi.info_type_id
    and mk.movie_id = t.id and k.id = mk.keyword_id and cc.movie_id = t.id
    and cct1.id = cc.subject_id and cct2.id = cc.status_id
    and cct1.kind = 'cast' and cct2.kind = 'complete and verified' and ci.note like '(voice%'
    and cn.country_code = '[us]' and it1.info = 'release date' and it2.info = 'trivia'
    and k.keyword like '%love%' and mi.info like '%20%' and n.gender = 'f' and rt.role = 'actress'
    and t.production_year between 2000 and 2013;

-- 17b
select min(cn1.name), min(mx2.info), min(t1.title), min(t2.title), min(k.keyword)
from company_name cn1, company_name cn2, complete_cast cc, info_type it1, info_type it2, keyword k,
    kind_type kt1, kind_type kt2, link_type lt, movie_companies mc1, movie_companies mc2,
    movie_info_idx mx1, movie_info_idx mx2, movie_keyword mk, movie_link ml, title t1, title t2
where lt.id = ml.link_type_id and t1.id = ml.movie_id and t2.id = ml.linked_movie_id
    and it1.id = mx1.info_type_id and mx1.movie_id = t1.id and kt1.id = t1.kind_id
    and cn1.id = mc1.company_id and mc1.movie_id = t1.id and it2.id = mx2.info_type_id
    and mx2.movie_id = t2.id and kt2.id = t2.kind_id and cn2.id = mc2.company_id
    and mc2.movie_id = t2.id and mk.movie_id = t1.id and k.id = mk.keyword_id and cc.movie_id = t1.id
    and cn1.country_code = '[us]' and cn2.name like '%Films' and it1.info = 'votes'
    and it2.info = 'rating' and mx2.info > '5.5' and kt1.kind = kt2.kind
    and kt1.kind in ('movie', 'tv movie') and k.keyword like 'st%' and lt.link like '%remake%'
    and mc2.note is not null and t2.production_year > 1980;

-- 17c
select min(mi.info), min(mx.info), min(n.name), min(t.title), min(akt.title)
from aka_title akt, cast_info ci, company_name cn, company_type ct, complete_cast cc,
    comp_cast_type cct, info_type it1, info_type it2, keyword k, kind_type kt, movie_companies mc,
    movie_info mi, movie_info_idx mx, movie_keyword mk, name n, role_type rt, title t
where akt.movie_id = t.id and ci.movie_id = t.id and n.id = ci.person_id and rt.id = ci.role_id
    and mc.movie_id = t.id and cn.id = mc.company_id and ct.id = mc.company_type_id
    and cc.movie_id = t.id and cct.id = cc.status_id and mi.movie_id = t.id
    and it1.id = mi.info_type_id and mx.movie_id = t.id and it2.id = mx.info_type_id
    and mk.movie_id = t.id and k.id = mk.keyword_id and kt.id = t.kind_id
    and rt.role = 'director' and n.gender = 'f' and ct.kind = 'distributor'
    and cn.country_code in ('[us]', '[jp]', '[fr]') and cct.kind = 'complete' and it1.info = 'genre'
    and mi.info in ('Comedy', 'Romance', 'Music') and it2.info = 'rating' and mx.info between '4.0' and '8.0'
    and k.keyword in ('love', 'wedding', 'dance', 'song') and kt.kind = 'movie';
