"""A database of films, of the relations that the Join Order Benchmark asks about.

    make(database, 350_000)

V. Leis and others ("How Good Are Query Optimizers, Really?", PVLDB 2015) ask about IMDb's data. These
are drawn by DuckDB, always the same, with what makes IMDb's hard to estimate:

- how many companies, keywords, persons and notes a film has follows from its fame, a power law, so
  that those with many of one have many of the others;
- a film's kind, year, country and genre depend on one another, and so do its companies, persons,
  keywords, ratings, and what is written about it;
- a person's role goes with the gender, the notes with the role, a company's country with its name.

There are a seventh as many films as in IMDb at 350,000, and about as many of all else for each.
Columns that nobody asks for are left out.
"""

COUNTRIES = [  # name, code, language; the first ones have most films
    ("USA", "us", "English"), ("UK", "gb", "English"), ("France", "fr", "French"),
    ("Germany", "de", "German"), ("Japan", "jp", "Japanese"), ("India", "in", "Hindi"),
    ("Canada", "ca", "English"), ("Italy", "it", "Italian"), ("Spain", "es", "Spanish"),
    ("Mexico", "mx", "Spanish"), ("Brazil", "br", "Portuguese"), ("Sweden", "se", "Swedish"),
    ("Argentina", "ar", "Spanish"), ("Australia", "au", "English"), ("Denmark", "dk", "Danish"),
    ("Poland", "pl", "Polish"), ("Finland", "fi", "Finnish"), ("Norway", "no", "Norwegian"),
    ("Turkey", "tr", "Turkish"), ("Greece", "gr", "Greek"), ("Portugal", "pt", "Portuguese"),
    ("Hungary", "hu", "Hungarian"), ("Iceland", "is", "Icelandic"), ("Bulgaria", "bg", "Bulgarian")]

GENRES = ("Drama Comedy Documentary Romance Action Thriller Crime Horror Family Adventure Animation "
          "Music Mystery Fantasy Sci-Fi Sport War History Western Biography").split()
KINDS = ("movie", "tv series", "tv movie", "video", "mini series", "game", "episode")
ROLES = ("actor", "actress", "producer", "writer", "camera", "composer", "costumes", "director",
         "editor", "guest", "crew", "set design")
LINKS = ("sequel to", "has sequel", "remake of", "has remake", "refers to", "is referred to in",
         "parody of", "has parody", "features", "is featured in", "spin-off of", "has spin-off",
         "version of", "similar to", "edited into", "edited from", "alternate of", "unknown")
INFOS = ("runtime", "color", "genre", "language", "certificate", "sound", "country", "release date",
         "budget", "trivia", "votes", "rating", "top rank", "bottom rank", "birth date", "height",
         "biography", "nick name", "quotes", "locations")

TOPICS = """love murder sequel family hero blood ghost war train island dog revenge magic school
wedding robot spy doctor winter desert river city prison bank boxing violin letter secret escape
mother brother queen king pirate horse snow summer vampire alien planet gun knife police lawyer judge
hotel bridge ship storm fire dance song circus clown monster castle forest mountain ocean moon star
night dream memory mirror shadow garden rose apple bread wine soldier general election village farm
church devil angel gold diamond car race football chess novel painter camera radio computer internet
money hunger fever plague""".split()
FIRST_WORDS = """The A My Your Last First Dark Long Red Black White Golden Lost Hidden Broken Silent
Great Little Old New Wild Secret Brave Mad Happy Sad Blue Green Burning Frozen""".split()
SURNAMES = """Smith Brown Taylor Martin Bernard Weber Schmidt Sato Tanaka Kumar Singh Rossi Bianchi
Garcia Lopez Silva Santos Larsson Berg Nielsen Nowak Virtanen Hansen Yilmaz Papas Costa Nagy Jonsson
Petrov Miller Wilson Moore Dubois Laurent Fischer Wagner Suzuki Patel Ricci Romano""".split()
GIVEN_NAMES = {
    "m": "Adam Ben Carl David Emil Frank George Henry Ivan John Karl Louis Max Nick Oscar Paul Robert "
         "Simon Tim Victor Walter".split(),
    "f": "Anna Bella Clara Diana Emma Fiona Greta Helen Ines Julia Kate Laura Maria Nina Olga Paula "
         "Rosa Sara Tina Vera Wanda".split()}

TABLES = """
CREATE MACRO drawn(i, k) AS hash(i * 64 + k) / 18446744073709551616.0;
CREATE MACRO pick(list, part) AS list[1 + floor(part * len(list))::INTEGER];
-- The n-th of so many gets a number that tells nothing of n.
CREATE MACRO shuffled(n, count) AS n * 2654435761 % count + 1;
-- Of things in the order of their countries: in which the n-th is; and one of a country, at a place.
CREATE MACRO country_at(n, count) AS floor(pow(n / count, 3) * len(countries()))::INTEGER;
CREATE MACRO border(country) AS pow(country / len(countries()), 1.0 / 3);
CREATE MACRO one_of(country, place, count) AS least(count - 1, ceil(count
    * (border(country) + place * (border(country + 1) - border(country)))))::BIGINT;
CREATE MACRO role_of(person) AS CASE
    WHEN drawn(person, 1) < 0.4 THEN 1 WHEN drawn(person, 1) < 0.65 THEN 2
    ELSE 3 + floor(drawn(person, 2) * 10) END::INTEGER;
CREATE MACRO gender_of(person) AS CASE role_of(person) WHEN 1 THEN 'm' WHEN 2 THEN 'f' ELSE
    CASE WHEN drawn(person, 3) < 0.25 THEN NULL
         WHEN drawn(person, 3) < (CASE role_of(person) WHEN 7 THEN 0.45 ELSE 0.85 END) THEN 'm'
         ELSE 'f' END END;
CREATE MACRO surname(person, k) AS
    surnames()[1 + (country_at(person, {persons}) * 3 + floor(pow(drawn(person, k), 3) * 40)::INTEGER) % 40];
CREATE MACRO words(i, k) AS pick(first_words(), drawn(i, k)) || ' '
    || upper(pick(topics(), drawn(i, k + 1))[1]) || pick(topics(), drawn(i, k + 1))[2:];

CREATE TABLE kind_type AS SELECT i::INTEGER AS id, kinds()[i] AS kind FROM range(1, 8) r(i);
CREATE TABLE role_type AS SELECT i::INTEGER AS id, roles()[i] AS role FROM range(1, 13) r(i);
CREATE TABLE link_type AS SELECT i::INTEGER AS id, links()[i] AS link FROM range(1, 19) r(i);
CREATE TABLE info_type AS SELECT i::INTEGER AS id, infos()[i] AS info FROM range(1, 21) r(i);
CREATE TABLE company_type AS SELECT i::INTEGER AS id,
    ['distributor', 'production', 'effects', 'other'][i] AS kind FROM range(1, 5) r(i);
CREATE TABLE comp_cast_type AS SELECT i::INTEGER AS id,
    ['cast', 'crew', 'complete', 'complete and verified'][i] AS kind FROM range(1, 5) r(i);

-- What all else of a film follows from.
CREATE TEMP TABLE film AS
WITH of_kind AS (
    SELECT i::INTEGER AS id, CASE WHEN drawn(i, 1) < 0.26 THEN 1 WHEN drawn(i, 1) < 0.295 THEN 2
        WHEN drawn(i, 1) < 0.335 THEN 3 WHEN drawn(i, 1) < 0.385 THEN 4 WHEN drawn(i, 1) < 0.39 THEN 5
        WHEN drawn(i, 1) < 0.4 THEN 6 ELSE 7 END AS kind FROM range(1, {titles} + 1) r(i)),
of_year AS (
    SELECT *, 2013 - floor(pow(drawn(id, 2), 2) * [113, 60, 60, 30, 40, 25, 55][kind])::INTEGER AS year
    FROM of_kind),
of_country AS (
    SELECT *, country_at(pow(drawn(id, 3), CASE WHEN year < 1950 THEN 2 ELSE 1 END), 1) AS country
    FROM of_year)
SELECT *, (floor(pow(drawn(id, 4), 2.5) * 20)::INTEGER + country * 7 + kind * 3 + year // 40) % 20 AS genre,
    floor(pow(drawn(id, 5), 10) * 160 * [1.2, 0.8, 0.4, 0.3, 0.5, 0.5, 0.7][kind]
        * CASE WHEN country = 0 THEN 1.6 ELSE 0.7 END * CASE WHEN year > 1980 THEN 1.2 ELSE 0.4 END)::INTEGER
        AS fame
FROM of_country;

CREATE TABLE title AS
SELECT id, words(id, 10) || CASE WHEN drawn(id, 12) < 0.3 THEN ' of ' || countries()[country + 1] ELSE '' END
        || CASE WHEN kind = 7 THEN ' (#' || id % 9 + 1 || '.' || id % 23 + 1 || ')'
                WHEN fame > 40 AND drawn(id, 13) < 0.3 THEN ' ' || id % 3 + 2 ELSE '' END AS title,
    kind AS kind_id, CASE WHEN drawn(id, 14) < 0.03 THEN NULL ELSE year END AS production_year,
    CASE WHEN kind = 7 THEN id % 9 + 1 END::INTEGER AS season_nr,
    CASE WHEN kind = 7 THEN id % 23 + 1 END::INTEGER AS episode_nr
FROM film;

CREATE TABLE keyword AS
SELECT i::INTEGER AS id, CASE WHEN i <= 100 THEN topics()[i] ELSE topics()[i % 100 + 1] || '-'
    || pick(topics(), drawn(i, 1)) || CASE WHEN i <= 2000 THEN '' ELSE '-' || i END END AS keyword
FROM range(1, {keywords} + 1) r(i);

CREATE TABLE movie_keyword AS
SELECT row_number() OVER ()::INTEGER AS id, movie_id, keyword_id
FROM (SELECT DISTINCT ON (movie_id, keyword_id) movie_id,
        least({keywords}, 1 + CASE WHEN drawn(n, 2) < 0.8 THEN genre ELSE floor(drawn(n, 3) * 20) END
            + 20 * floor(pow(drawn(n, 4), 5) * {keywords} / 20))::INTEGER AS keyword_id
    FROM (SELECT id AS movie_id, genre, id * 1000 + unnest(range(fame // 3 + (id % 3 = 0)::INTEGER)) AS n
        FROM film)
    ORDER BY movie_id, keyword_id);

CREATE TABLE company_name AS
SELECT shuffled(n, {companies})::INTEGER AS id, words(n, 1) || ' ' || pick(CASE country_at(n, {companies})
        WHEN 0 THEN ['Pictures', 'Films', 'Inc.', 'Studios', 'Entertainment', 'Television']
        WHEN 2 THEN ['Films', 'Cinéma', 'S.A.'] WHEN 3 THEN ['Film', 'GmbH', 'Filmverleih']
        ELSE ['Film', 'Films', 'Productions', 'TV'] END, drawn(n, 3)) AS name,
    CASE WHEN drawn(n, 4) < 0.1 THEN NULL ELSE '[' || codes()[country_at(n, {companies}) + 1] || ']' END
        AS country_code
FROM range({companies}) r(n) ORDER BY id;

CREATE TABLE movie_companies AS
WITH drawn_rows AS (
    SELECT id AS movie_id, kind, year, country, id * 1000 + n AS i,
        CASE WHEN drawn(id * 1000 + n, 1) < 0.75 THEN country ELSE 0 END AS of_country,
        CASE WHEN n % 2 = 0 THEN 1 WHEN drawn(id * 1000 + n, 2) < 0.9 THEN 2 ELSE 3 + n % 4 // 2 END AS of_type
    FROM (SELECT *, unnest(range(id % 2 + fame // 12)) AS n FROM film))
SELECT row_number() OVER ()::INTEGER AS id, movie_id,
    shuffled(one_of(of_country, pow(drawn(i, 3), 4), {companies}), {companies})::INTEGER AS company_id,
    of_type::INTEGER AS company_type_id,
    CASE WHEN of_type <> 1 THEN CASE WHEN drawn(i, 4) < 0.15 THEN '(co-production)' WHEN drawn(i, 4) < 0.25
            THEN '(presents)' END
        WHEN drawn(i, 4) < 0.2 THEN NULL
        ELSE '(' || year + (drawn(i, 5) * 4)::INTEGER || ') (' || countries()[of_country + 1] || ') ('
            || CASE WHEN kind IN (2, 3, 5, 7) THEN 'TV' WHEN kind = 4 OR drawn(i, 6) < 0.4
                THEN CASE WHEN year < 1998 THEN 'VHS' ELSE 'DVD' END ELSE 'theatrical' END || ')' END AS note
FROM drawn_rows;

CREATE TABLE movie_info AS
WITH every AS (
    SELECT unnest([
        {{'type': 1, 'info': (CASE kind WHEN 1 THEN 70 + id % 80 WHEN 7 THEN 22 + id % 2 * 20 ELSE 45 + id % 50 END)::VARCHAR,
            'there': drawn(id, 20) < 0.5}},
        {{'type': 2, 'info': CASE WHEN year < 1940 OR (year < 1965 AND drawn(id, 21) < 0.7) THEN 'Black and White'
            ELSE 'Color' END, 'there': drawn(id, 22) < 0.6}},
        {{'type': 3, 'info': genres()[genre + 1], 'there': true}},
        {{'type': 3, 'info': genres()[genre * 3 % 20 + 1], 'there': genre > 0 AND drawn(id, 23) < 0.4}},
        {{'type': 4, 'info': languages()[country + 1], 'there': drawn(id, 24) < 0.8}},
        {{'type': 4, 'info': 'English', 'there': country > 0 AND fame > 4}},
        {{'type': 5, 'info': countries()[1] || ':' || ['G', 'PG', 'R'][1 + (genre * 5 % 20 // 7)],
            'there': fame > 8}},
        {{'type': 6, 'info': CASE WHEN year < 1930 THEN 'Silent' WHEN year < 1970 THEN 'Mono'
            WHEN year < 1992 THEN 'Stereo' ELSE 'Digital' END, 'there': drawn(id, 25) < 0.4}},
        {{'type': 7, 'info': countries()[country + 1], 'there': drawn(id, 26) < 0.9}},
        {{'type': 7, 'info': 'USA', 'there': country > 0 AND fame > 30}},
        {{'type': 9, 'info': '$' || fame * 1000 * (1 + id % 90), 'there': fame > 20 AND kind IN (1, 3, 4, 6)}}
        ], recursive := true), id AS movie_id, NULL AS note
    FROM film),
several AS (
    SELECT 8 AS type, countries()[place + 1] || ':' || 1 + i % 28 || ' '
            || ['January', 'April', 'July', 'October'][1 + i % 4] || ' ' || year AS info, true AS there,
        movie_id, CASE WHEN drawn(i, 1) < 0.1 THEN '(premiere)' WHEN year > 2000 AND drawn(i, 1) < 0.3
            THEN '(internet)' END AS note
    FROM (SELECT id AS movie_id, year, id * 1000 + n AS i,
            CASE WHEN n = 0 THEN country ELSE floor(drawn(id * 1000 + n, 2) * len(countries()))::INTEGER END AS place
        FROM (SELECT *, unnest(range((id % 5 > 1)::INTEGER + fame // 8)) AS n FROM film))
    UNION ALL
    SELECT 10 + (n % 3 = 2)::INTEGER * 9 + (n % 9 = 3)::INTEGER * 10, words(id * 1000 + n, 3) || ' '
        || words(id * 1000 + n, 5) || ' ' || words(id * 1000 + n, 7), true, id, NULL
    FROM (SELECT *, unnest(range(fame // 7)) AS n FROM film))
SELECT row_number() OVER ()::INTEGER AS id, movie_id, type::INTEGER AS info_type_id, info, note
FROM (FROM (FROM every SELECT type, info, there, movie_id, note UNION ALL FROM several) WHERE there
    ORDER BY type, movie_id);

CREATE TABLE movie_info_idx AS
SELECT row_number() OVER ()::INTEGER AS id, movie_id, type::INTEGER AS info_type_id, info
FROM (FROM (SELECT id AS movie_id, unnest([
        {{'type': 11, 'info': (5 + fame * fame * 3 + id % 40)::VARCHAR, 'there': true}},
        {{'type': 12, 'info': round(least(9.9, 1 + 6 * pow(drawn(id, 30), 0.5) + fame / 60
            + CASE WHEN genre IN (7, 14) THEN -1 WHEN genre IN (2, 17) THEN 1 ELSE 0 END), 1)::VARCHAR,
            'there': true}},
        {{'type': 13, 'info': (1 + id % 250)::VARCHAR, 'there': fame > 200 AND genre NOT IN (7, 14)}},
        {{'type': 14, 'info': (1 + id % 100)::VARCHAR, 'there': fame > 60 AND genre = 7}}
        ], recursive := true)
    FROM film WHERE fame > 0 OR drawn(id, 31) < 0.05) WHERE there ORDER BY type, movie_id);

CREATE TABLE name AS
SELECT shuffled(n, {persons})::INTEGER AS id, surname(n, 4) || ', '
        || CASE WHEN coalesce(gender_of(n), 'm') = 'm' THEN pick(men(), drawn(n, 5)) ELSE pick(women(), drawn(n, 5)) END
        || CASE WHEN drawn(n, 6) < 0.3 THEN ' ' || pick(men(), drawn(n, 7)) ELSE '' END AS name,
    gender_of(n) AS gender,
    CASE WHEN drawn(n, 8) < 0.02 THEN NULL ELSE surname(n, 4)[1] || n % 600 END AS name_pcode_cf
FROM range({persons}) r(n) ORDER BY id;

CREATE TABLE char_name AS
SELECT i::INTEGER AS id, CASE WHEN i <= 20 THEN ['Himself', 'Herself', 'Narrator', 'Host', 'Nurse', 'Doctor',
        'Policeman', 'Waiter', 'Guard', 'Reporter', 'Mother', 'Father', 'Student', 'Soldier', 'Man', 'Woman',
        'Boy', 'Girl', 'Guest', 'Dancer'][i]
    ELSE pick(men(), drawn(i, 1)) || ' ' || pick(surnames(), drawn(i, 2))
        || CASE WHEN drawn(i, 3) < 0.1 THEN ' the ' || pick(topics(), drawn(i, 4)) ELSE '' END END AS name
FROM range(1, {characters} + 1) r(i);

-- Persons appear where they are from, and the first of a country often.
CREATE TABLE cast_info AS
WITH chosen AS (
    SELECT id AS movie_id, kind, genre, n, id * 1000 + n AS i, one_of(
        CASE WHEN drawn(id * 1000 + n, 1) < 0.85 THEN country ELSE 0 END,
        pow(drawn(id * 1000 + n, 2), 2.5), {persons}) AS person
    FROM (SELECT *, unnest(range([6, 9, 6, 5, 8, 4, 5][kind] + id % 5 + fame // 3)) AS n FROM film)),
with_role AS (
    SELECT *, CASE WHEN drawn(i, 3) < 0.92 THEN role_of(person)
        WHEN kind IN (2, 7) THEN 10 ELSE 3 + floor(drawn(i, 4) * 9) END::INTEGER AS role FROM chosen)
SELECT row_number() OVER ()::INTEGER AS id, person_id, movie_id, person_role_id, note, nr_order, role_id
FROM (SELECT shuffled(person, {persons})::INTEGER AS person_id, movie_id,
        CASE WHEN role <= 2 AND drawn(i, 5) < 0.8
            THEN 1 + floor(pow(drawn(i, 6), 3) * {characters}) END::INTEGER AS person_role_id,
        CASE WHEN role <= 2 AND (genre = 10 OR kind = 6) THEN
                CASE WHEN drawn(i, 7) < 0.9 THEN '(voice)' ELSE '(voice: English version)' END
            WHEN role <= 2 THEN CASE WHEN drawn(i, 7) < 0.12 THEN '(uncredited)' WHEN drawn(i, 7) < 0.15
                THEN '(archive footage)' WHEN drawn(i, 7) < 0.16 THEN '(voice)' END
            WHEN role = 3 THEN pick(['(producer)', '(producer)', '(executive producer)', '(co-producer)'], drawn(i, 7))
            WHEN role = 4 THEN pick(['(writer)', '(screenplay)', '(story)', '(head writer)'], drawn(i, 7))
            WHEN role = 11 THEN pick(['(assistant)', '(stunts)', NULL], drawn(i, 7)) END AS note,
        CASE WHEN role <= 2 AND drawn(i, 8) < 0.6 THEN n + 1 END::INTEGER AS nr_order, role AS role_id
    FROM with_role ORDER BY person_id, movie_id, i);

CREATE TABLE person_info AS
SELECT row_number() OVER ()::INTEGER AS id, person_id, type::INTEGER AS info_type_id, info, note
FROM (SELECT shuffled(person, {persons})::INTEGER AS person_id,
        [15, 16, 17, 10, 18, 19][1 + n % 6] AS type,
        CASE n % 6 WHEN 0 THEN 1 + person % 28 || ' July ' || 1900 + person % 90 WHEN 1 THEN 150 + person % 50 || ' cm'
            ELSE words(person * 1000 + n, 1) || ' ' || words(person * 1000 + n, 3) END AS info,
        CASE WHEN n % 6 = 2 THEN pick(men(), pow(drawn(person, 12), 3)) || ' ' || pick(surnames(), pow(drawn(person, 13), 3))
            END AS note
    FROM (SELECT n AS person, unnest(range(CASE WHEN drawn(n, 10) < 0.12 THEN 2 + floor(pow(drawn(n, 11), 3) * 14)::INTEGER
            ELSE 0 END)) AS n FROM range({persons}) r(n)) ORDER BY type, person_id);

CREATE TABLE aka_name AS
SELECT row_number() OVER ()::INTEGER AS id, person_id, name
FROM (SELECT shuffled(person, {persons})::INTEGER AS person_id, surname(person, 14) || ', '
        || pick(CASE WHEN n % 3 = 0 THEN women() ELSE men() END, drawn(person * 100 + n, 1)) AS name
    FROM (SELECT n AS person, unnest(range(floor(pow(drawn(n, 10), 8) * 2.5)::INTEGER)) AS n
        FROM range({persons}) r(n)) ORDER BY person_id);

CREATE TABLE aka_title AS
SELECT row_number() OVER ()::INTEGER AS id, id AS movie_id, words(id * 1000 + n, 1) AS title, kind AS kind_id,
    year AS production_year
FROM (SELECT *, unnest(range(fame // 40 + (drawn(id, 40) < 0.05)::INTEGER)) AS n FROM film);

CREATE TABLE complete_cast AS
SELECT row_number() OVER ()::INTEGER AS id, id AS movie_id, n::INTEGER AS subject_id,
    (3 + (drawn(id * 10 + n, 1) < 0.2)::INTEGER)::INTEGER AS status_id
FROM (SELECT *, unnest(CASE WHEN id % 3 = 0 THEN [1, 2] ELSE [1] END) AS n FROM film
    WHERE drawn(id, 41) < 0.01 + fame / 500.0);

CREATE TABLE movie_link AS
WITH famous AS (
    SELECT id, row_number() OVER (ORDER BY kind, genre, country, fame, id) AS place, fame FROM film
    WHERE fame > 100 AND kind IN (1, 2, 3, 7))
SELECT row_number() OVER ()::INTEGER AS id, movie_id, linked_movie_id, link_type_id
FROM (SELECT a.id AS movie_id, b.id AS linked_movie_id, 1 + floor(pow(drawn(a.id, 42), 2) * 18)::INTEGER AS link_type_id
    FROM (SELECT *, unnest(range(fame // 50)) AS n FROM famous) a JOIN famous b ON b.place = a.place + 1 + 2 * n
    ORDER BY 1, 2);
"""


def make(database, titles):
    """For so many films."""
    lists = {"countries": [name for name, _, _ in COUNTRIES], "codes": [code for _, code, _ in COUNTRIES],
             "languages": [language for _, _, language in COUNTRIES], "genres": GENRES, "kinds": KINDS,
             "roles": ROLES, "links": LINKS, "infos": INFOS, "topics": TOPICS, "first_words": FIRST_WORDS,
             "surnames": SURNAMES, "men": GIVEN_NAMES["m"], "women": GIVEN_NAMES["f"]}
    for name, words in lists.items():
        database.execute(f"CREATE MACRO {name}() AS {list(words)}")
    database.execute(TABLES.format(titles=titles, persons=max(titles * 5 // 3, 100),
                                   characters=max(titles * 5 // 4, 100), keywords=max(titles // 19, 100),
                                   companies=max(titles // 11, 100)))
    database.execute("DROP TABLE film")
