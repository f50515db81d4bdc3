import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { eq } from "../filter/algebra.ts";
import type { ReadRule } from "../realm/rule.ts";
import { allowed } from "../rules/index.ts";
import type { StoreCollection } from "../store/contract/collection.ts";
import { modifyByVersion } from "../store/modify.ts";
import {
  code,
  collection,
  fields,
  minute,
  type Received,
  type Shop,
  startShop,
  text,
} from "./testing/shop.ts";

/** What happens between the read and the write of each attempt to write a document of `contested` or `guarded`. */
let meanwhile: (() => Promise<unknown> | undefined) | undefined;
afterEach(() => {
  meanwhile = undefined;
});

const onlyEnglish: ReadRule = {
  filter: () => eq(fields.lang, "en"),
  check: (_, document) => document["lang"] === "en",
};

const notes = collection("notes");
const contested = collection("contested", { validate: () => true });
const guarded = collection("guarded", { rules: { read: allowed, delete: allowed } });
const news = collection("news", {
  publicMaxAge: 60,
  rules: { read: onlyEnglish, create: allowed, restore: allowed },
});
const trash = collection("trash", {
  publicMaxAge: 60,
  softDelete: {},
  rules: { read: allowed, create: allowed, delete: allowed, restore: allowed },
});

let shop: Shop;
let members: Shop;
let rivals: { readonly contested: Replace; readonly guarded: Replace };
beforeAll(async () => {
  shop = await startShop("disabled", [notes, contested]);
  members = await startShop("enabled", [guarded, news, trash]);
  rivals = {
    contested: interrupt(shop.stored(contested)),
    guarded: interrupt(members.stored(guarded)),
  };
});
afterAll(() => Promise.all([shop.stop(), members.stop()]));

type Replace = StoreCollection["replace"];

/** As a shared store does: lets `meanwhile` happen before each write; answers what writes without. */
function interrupt(documents: StoreCollection): Replace {
  const replace = documents.replace.bind(documents);
  const remove = documents.remove.bind(documents);
  documents.replace = async (...write) => {
    await meanwhile?.();
    return replace(...write);
  };
  documents.remove = async (...write) => {
    await meanwhile?.();
    return remove(...write);
  };
  documents.modify = (id, visibility, decide) => modifyByVersion(documents, id, visibility, decide);
  return replace;
}

async function create(name = "notes"): Promise<string> {
  return text((await shop.send("POST", name, { body: { title: "a", qty: 0 } })).body, "id");
}

const writes = [
  ["PUT", { title: "b" }],
  ["PATCH", { title: "b" }],
  ["DELETE", undefined],
] as const;

test.each(writes)(
  "Concurrency 1: %s accepts If-Match with the version as returned in ETag",
  async (method, body) => {
    const id = await create();
    const { tag } = await shop.send("GET", `notes/${id}`);
    const sent = { ...(body && { body }), headers: { "if-match": tag ?? "" } };
    expect((await shop.send(method, `notes/${id}`, sent)).status).toBeLessThan(300);
  },
);

test.each(writes)(
  "Concurrency 1: %s: lists, * and suffixed tags match; weak and other tags do not",
  async (method, body) => {
    const send = async (header: string): Promise<Received> => {
      const id = await create();
      return shop.send(method, `notes/${id}`, { ...(body && { body }), headers: { "if-match": header } });
    };
    for (const header of ['"7", "1"', "*", '"1.r00c0ffee"', 'W/"1", "1"']) {
      expect([header, (await send(header)).status]).toEqual([header, method === "DELETE" ? 204 : 200]);
    }
    for (const header of ['"2"', 'W/"1"', '"x"', '"1.x"', '"2","3"']) {
      const answer = await send(header);
      expect([header, answer.status, code(answer), answer.tag]).toEqual([
        header,
        412,
        "version_mismatch",
        '"1"',
      ]);
    }
    for (const header of ["1", '"1', '* , "1"']) {
      const answer = await send(header);
      expect([header, answer.status, code(answer)]).toEqual([header, 400, "invalid_header"]);
    }
  },
);

test.each(writes)(
  "RFC 9110, 13.1.2: %s with If-None-Match is 412 where the version is named, by any tag or *; malformed ones are ignored",
  async (method, body) => {
    const send = async (headers: Readonly<Record<string, string>>): Promise<Received> => {
      const id = await create();
      return shop.send(method, `notes/${id}`, { ...(body && { body }), headers });
    };
    for (const header of ['"1"', "*", 'W/"1"', '"1.r00c0ffee"', '"7", "1"']) {
      const answer = await send({ "if-none-match": header });
      expect([header, answer.status, code(answer), answer.tag]).toEqual([
        header,
        412,
        "version_mismatch",
        '"1"',
      ]);
    }
    const written = method === "DELETE" ? 204 : 200;
    for (const header of ['"2"', '"x"', "1", '"1', "", '* , "1"']) {
      expect([header, (await send({ "if-none-match": header })).status]).toEqual([header, written]);
    }
    expect((await send({ "if-match": '"1"', "if-none-match": '"2"' })).status).toBe(written);
    expect((await send({ "if-match": '"1"', "if-none-match": '"1"' })).status).toBe(412);
    const nobody = { ...(body && { body }), headers: { "if-none-match": "*" } };
    expect((await shop.send(method, "notes/nobody", nobody)).status).toBe(404);
  },
);

test("RFC 9110, 13.1.2: If-None-Match guards soft deletes, purges and restores as well", async () => {
  const { body } = await members.send("POST", "trash", { body: { title: "a" } });
  const path = `trash/${text(body, "id")}`;
  const any = { headers: { "if-none-match": "*" } };
  expect((await members.send("DELETE", path, any)).status).toBe(412);
  expect((await members.send("DELETE", path)).status).toBe(204);
  expect((await members.send("POST", `${path}/restore`, any)).status).toBe(412);
  expect(
    (await members.send("POST", `${path}/restore`, { headers: { "if-none-match": '"1"' } })).status,
  ).toBe(200);
});

test.each(writes)(
  "Fine points: %s with If-Match on a document that does not exist is 404",
  async (method, body) => {
    for (const header of ["*", '"1"']) {
      const sent = { ...(body && { body }), headers: { "if-match": header } };
      expect((await shop.send(method, "notes/nobody", sent)).status).toBe(404);
    }
  },
);

test("Concurrency 1: a mismatch changes nothing and comes before the schema", async () => {
  const id = await create();
  const sent = { body: { qty: "x" }, headers: { "if-match": '"2"' } };
  expect((await shop.send("PATCH", `notes/${id}`, sent)).status).toBe(412);
  expect((await shop.send("GET", `notes/${id}`)).tag).toBe('"1"');
});

/** Writes by somebody else, each of which the service is about to overwrite. */
function competingWrite(replace: Replace, id: string, from: number) {
  const createdAt = Date.UTC(2026, 0, 1);
  let version = from;
  return () => {
    const created_at = new Date(createdAt).toISOString();
    const next = `{"id":"${id}","title":"theirs","_meta":{"created_at":"${created_at}","updated_at":"${created_at}","version":${version + 1}}}`;
    version += 1;
    return replace(version - 1, { id, version, text: next, createdAt });
  };
}

test.each(["PUT", "PATCH"])(
  "Concurrency 2: %s that loses 3 races is 409 write_conflict, nothing applied",
  async (method) => {
    const id = await create("contested");
    let races = 0;
    const compete = competingWrite(rivals.contested, id, 1);
    meanwhile = () => {
      races += 1;
      return compete();
    };
    const answer = await shop.send(method, `contested/${id}`, { body: { title: "mine" } });
    expect([answer.status, code(answer), races]).toEqual([409, "write_conflict", 3]);
    const { body, tag } = await shop.send("GET", `contested/${id}`);
    expect([body["title"], tag]).toEqual(["theirs", '"4"']);
  },
);

test("Concurrency 2: PATCH that loses two races merges into what is stored then", async () => {
  const id = await create("contested");
  const compete = competingWrite(rivals.contested, id, 1);
  let races = 0;
  meanwhile = () => {
    races += 1;
    return races < 3 ? compete() : undefined;
  };
  const { status, body, tag } = await shop.send("PATCH", `contested/${id}`, { body: { lang: "en" } });
  expect([status, tag]).toEqual([200, '"4"']);
  expect(body).toMatchObject({ title: "theirs", lang: "en" });
});

test("Concurrency 2: a write with If-Match that loses a race is 412 with the version that won", async () => {
  const id = await create("contested");
  meanwhile = competingWrite(rivals.contested, id, 1);
  const sent = { body: { title: "mine" }, headers: { "if-match": '"1"' } };
  const answer = await shop.send("PUT", `contested/${id}`, sent);
  expect([answer.status, code(answer), answer.tag]).toEqual([412, "version_mismatch", '"2"']);
});

test("Concurrency 2: DELETE under access rules is conditional on the version checked and retries the same way", async () => {
  const insert = async (id: string) => {
    const at = "2026-01-01T00:00:00.000Z";
    const stored = `{"id":"${id}","title":"a","_meta":{"created_at":"${at}","updated_at":"${at}","version":1,"owner":null}}`;
    await members.stored(guarded).insert({ id, version: 1, text: stored, createdAt: Date.parse(at) });
  };
  await insert("contested");
  let races = 0;
  let compete = competingWrite(rivals.guarded, "contested", 1);
  meanwhile = () => {
    races += 1;
    return compete();
  };
  const lost = await members.send("DELETE", "guarded/contested");
  expect([lost.status, code(lost), races]).toEqual([409, "write_conflict", 3]);
  await insert("briefly");
  races = 0;
  compete = competingWrite(rivals.guarded, "briefly", 1);
  meanwhile = () => {
    races += 1;
    return races === 1 ? compete() : undefined;
  };
  expect([(await members.send("DELETE", "guarded/briefly")).status, races]).toEqual([204, 2]);
});

test("Concurrency 2: parallel patches lose nothing", async () => {
  const id = await create();
  const names = Array.from({ length: 24 }, (_, at) => `n${at}`);
  const tagsOf = async () => (await shop.send("GET", `notes/${id}`)).body["extra"];
  const answers = await Promise.all(
    names.map((name) => shop.send("PATCH", `notes/${id}`, { body: { extra: { [name]: true } } })),
  );
  const applied = names.filter((_, at) => answers[at]?.status === 200);
  expect(applied.length).toBeGreaterThan(0);
  for (const answer of answers) expect([200, 409]).toContain(answer.status);
  expect(await tagsOf()).toEqual(Object.fromEntries(applied.map((name) => [name, true])));
  expect((await shop.send("GET", `notes/${id}`)).tag).toBe(`"${applied.length + 1}"`);
  const versions = answers.filter(({ status }) => status === 200).map(({ tag }) => tag);
  expect(new Set(versions).size).toBe(applied.length);
});

test("Concurrency 2: of parallel writes with the same If-Match exactly one succeeds", async () => {
  const id = await create();
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, qty) =>
      shop.send("PATCH", `notes/${id}`, { body: { qty }, headers: { "if-match": '"1"' } }),
    ),
  );
  expect(answers.filter(({ status }) => status === 200).length).toBe(1);
  expect(answers.filter(({ status }) => status === 412).length).toBe(9);
});

test("Concurrency 3: GET of a document with If-None-Match is 304 while it is unchanged", async () => {
  const id = await create();
  for (const header of ['"1"', 'W/"1"', '"0", "1"', "*", 'W/"9" , W/"1"']) {
    const answer = await shop.send("GET", `notes/${id}`, { headers: { "if-none-match": header } });
    expect([header, answer.status, answer.text, answer.tag]).toEqual([header, 304, "", '"1"']);
    expect(answer.headers.get("cache-control")).toBe("private, no-cache");
    expect(answer.headers.get("vary")).toBe("Origin, Authorization");
  }
  for (const header of ['"2"', "1", '"1x"', "", '"1']) {
    const answer = await shop.send("GET", `notes/${id}`, { headers: { "if-none-match": header } });
    expect([header, answer.status]).toEqual([header, 200]);
  }
  await shop.send("PATCH", `notes/${id}`, { body: {} });
  const changed = await shop.send("GET", `notes/${id}`, { headers: { "if-none-match": '"1"' } });
  expect([changed.status, changed.tag]).toEqual([200, '"2"']);
});

test("Concurrency 3: GET of a list with If-None-Match is 304 while the page is unchanged", async () => {
  const id = await create();
  const { tag, body } = await shop.send("GET", "notes?limit=100");
  expect(tag).toMatch(/^W\/"[\w-]+"$/);
  const headers = { "if-none-match": tag ?? "" };
  expect(await shop.send("GET", "notes?limit=100", { headers })).toMatchObject({
    status: 304,
    text: "",
    tag,
  });
  expect((await shop.send("GET", "notes?limit=100&count=true", { headers })).status).toBe(200);
  expect((await shop.send("GET", "notes?limit=1", { headers })).status).toBe(200);
  await shop.send("PATCH", `notes/${id}`, { body: {} });
  const changed = await shop.send("GET", "notes?limit=100", { headers });
  expect(changed.status).toBe(200);
  expect(changed.tag).not.toBe(tag);
  expect(changed.body).not.toEqual(body);
});

test("Concurrency 3: a document the caller cannot read is 404, never 304", async () => {
  const hidden = text((await members.send("POST", "news", { body: { title: "a", lang: "de" } })).body, "id");
  for (const header of ["*", '"1"']) {
    expect(
      (await members.send("GET", `news/${hidden}`, { headers: { "if-none-match": header } })).status,
    ).toBe(404);
  }
});

test("Concurrency 5: public caching: anonymous reads without a cookie, in the default view; others stay private", async () => {
  const { token } = await members.signUp("reader@example.com");
  const { body } = await members.send("POST", "news", { body: { title: "a", lang: "en" } });
  const id = text(body, "id");
  for (const path of [`news/${id}`, "news", "news?limit=1&count=true"]) {
    const open = await members.send("GET", path);
    expect(open.headers.get("cache-control")).toBe("public, max-age=60");
    const unchanged = await members.send("GET", path, { headers: { "if-none-match": open.tag ?? "" } });
    expect([unchanged.status, unchanged.tag]).toEqual([304, open.tag]);
    expect(unchanged.headers.get("cache-control")).toBe("public, max-age=60");
    expect(unchanged.headers.get("vary")).toBe(open.headers.get("vary"));
    for (const sent of [{ token }, { headers: { cookie: "theme=dark" } }]) {
      const own = await members.send("GET", path, sent);
      expect([path, own.status, own.headers.get("cache-control")]).toEqual([path, 200, "private, no-cache"]);
    }
  }
  const missing = await members.send("GET", "news/nobody");
  expect([missing.status, missing.headers.get("cache-control")]).toEqual([404, "private, no-cache"]);
  const created = await members.send("POST", "news", { body: { title: "b", lang: "en" } });
  expect(created.headers.get("cache-control")).toBe("private, no-cache");
});

test("Concurrency 5: the trash view is never public", async () => {
  const { body } = await members.send("POST", "trash", { body: { title: "a" } });
  const id = text(body, "id");
  await members.send("DELETE", `trash/${id}`);
  members.clock.advance(minute);
  for (const path of [
    `trash/${id}?deleted=only`,
    `trash/${id}?deleted=include`,
    "trash?deleted=only",
    "trash?deleted=include",
  ]) {
    const answer = await members.send("GET", path);
    expect([path, answer.status, answer.headers.get("cache-control")]).toEqual([
      path,
      200,
      "private, no-cache",
    ]);
  }
  expect((await members.send("GET", "trash")).headers.get("cache-control")).toBe("public, max-age=60");
});
