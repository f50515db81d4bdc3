/** Read rules that go together with their fields, and what takes their place. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { check } from "./testing/check.ts";

const folder = mkdtempSync(join(tmpdir(), "realmc-retired-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The collection of a realm: its schema's properties, and `fields` of its settings in YAML; none: no settings at all. */
interface Version {
  readonly properties: object;
  readonly fields?: string;
  readonly closed?: boolean;
  readonly name?: string;
  readonly realm?: string;
}

const text = { type: "string" };
const address = { type: "object", properties: { city: text } };
const salary: Version = {
  properties: { salary: text, title: text },
  fields: "{ salary: { read: hasRole('hr') } }",
};

let number = 0;

function written({ properties, fields, closed, name = "people", realm }: Version): string {
  const root = join(folder, String(number++));
  const files = {
    "desk/realm.yaml": `auth: ${realm ?? "enabled"}\n${realm === undefined ? "roles: { hr: {}, lead: { admin: read } }\n" : ""}`,
    [`desk/db/${name}/schema.json`]: JSON.stringify({
      type: "object",
      properties,
      ...(closed ? { additionalProperties: false } : {}),
    }),
    ...(fields === undefined
      ? {}
      : { [`desk/db/${name}/collection.yaml`]: `rules: { read: true }\nfields: ${fields}\n` }),
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

/** The errors of a version that follows another one. */
async function errors(before: Version, now: Version): Promise<string[]> {
  const found = await check(written(now), undefined, written(before));
  return found
    .filter(({ severity }) => severity === "error")
    .map(({ code, message }) => `${code} ${/^'[^']*'/.exec(message)?.[0] ?? message}`);
}

const leak = (path: string): string[] => [`retired-field-readable '${path}'`];
const renamed = { pay: text, title: text };

test("a field that is renamed or removed with its read rule is refused, in open and closed schemas", async () => {
  expect(await errors(salary, { properties: renamed, fields: "{}" })).toEqual(leak("salary"));
  expect(await errors(salary, { properties: renamed, fields: "{ pay: { read: hasRole('hr') } }" })).toEqual(
    leak("salary"),
  );
  expect(await errors(salary, { properties: { title: text }, fields: "{}", closed: true })).toEqual(
    leak("salary"),
  );
  expect(await errors(salary, { properties: renamed })).toEqual(leak("salary"));
});

test("an entry that hides it, or says that it is published, is what is asked for; others are not", async () => {
  const after = (entry: string): Promise<string[]> =>
    errors(salary, { properties: renamed, fields: `{ salary: ${entry} }` });
  expect(await after("{ read: hasRole('hr') }")).toEqual([]);
  expect(await after("{ read: hasRole('lead'), write: false }")).toEqual([]);
  expect(await after("{ read: false }")).toEqual([]);
  expect(await after("{ retired: published }")).toEqual([]);
  expect(await after("{ write: false }")).toEqual(leak("salary"));
  expect(await after("{ read: true }")).toEqual(leak("salary"));
  expect(await after("{ read: 'user == null || user != null' }")).toEqual([]);
  expect(await after("{ retired: published, read: hasRole('hr') }")).toEqual([
    "field-rule-retired retired: published has no meaning here: it stands beside 'read'",
  ]);
});

test("what was said of a member that is not declared cannot be unsaid, but for what was published", async () => {
  const kept = { properties: renamed, fields: "{ salary: { read: hasRole('hr') } }" };
  const published = { properties: renamed, fields: "{ salary: { retired: published } }" };
  expect(await errors(kept, { properties: renamed, fields: "{}" })).toEqual(leak("salary"));
  expect(await errors(kept, salary)).toEqual([]);
  expect(await errors(published, { properties: renamed, fields: "{}" })).toEqual([]);
});

test("a change that is undone leaves the fields that it had brought", async () => {
  const done = {
    properties: renamed,
    fields: "{ pay: { read: hasRole('hr') }, salary: { read: hasRole('hr') } }",
  };
  expect(await errors(done, salary)).toEqual(leak("pay"));
  expect(
    await errors(done, {
      ...salary,
      fields: "{ salary: { read: hasRole('hr') }, pay: { retired: published } }",
    }),
  ).toEqual([]);
});

test("objects around it: gone, or lists now; their own rule counts where it is the same, or denies", async () => {
  const city: Version = { properties: { address }, fields: "{ address.city: { read: hasRole('hr') } }" };
  const street = { address: { type: "object", properties: { street: text } } };
  const list = { address: { type: "array", items: address } };
  expect(await errors(city, { properties: {}, fields: "{}" })).toEqual(leak("address.city"));
  expect(await errors(city, { properties: street, fields: "{}" })).toEqual(leak("address.city"));
  expect(await errors(city, { properties: list, fields: "{}" })).toEqual(leak("address.city"));
  expect(
    await errors(city, { properties: list, fields: "{ address.city: { retired: published } }" }),
  ).toEqual([]);
  expect(await errors(city, { properties: {}, fields: "{ address: { read: hasRole( 'hr') } }" })).toEqual(
    leak("address.city"),
  );
  expect(await errors(city, { properties: {}, fields: "{ address: { read: hasRole('hr') } }" })).toEqual([]);
  expect(await errors(city, { properties: {}, fields: "{ address: { read: false } }" })).toEqual([]);
  expect(await errors(city, { properties: {}, fields: "{ address: { read: hasRole('lead') } }" })).toEqual(
    leak("address.city"),
  );
  expect(await errors(city, { properties: {}, fields: "{ address: { retired: published } }" })).toEqual([]);
});

test("no leak: the field stays declared, its rule hid nothing, the collection is another, nobody has an account", async () => {
  expect(await errors(salary, { ...salary, fields: "{}" })).toEqual([]);
  expect(
    await errors({ ...salary, fields: "{ salary: { read: true, write: false } }" }, { properties: renamed }),
  ).toEqual([]);
  expect(await errors(salary, { properties: renamed, name: "staff" })).toEqual([]);
  expect(await errors(salary, { properties: renamed, realm: "disabled" })).toEqual([]);
});

test("other mistakes do not hide it; of settings that cannot be read nothing is said", async () => {
  const now = { properties: renamed, fields: "{ pay: { read: hasRole('nobody') } }" };
  expect(await errors(salary, now)).toEqual([
    ...leak("salary"),
    "rule-unknown-role there is no role 'nobody' in realm.yaml",
  ]);
  expect(await errors(salary, { ...now, fields: "{ pay: { read" })).not.toContain(leak("salary")[0]);
});

test("a rule for what is not declared is no mistake; one that looks misspelt is warned of", async () => {
  const codes = async (fields: string): Promise<string[]> =>
    (await check(written({ properties: { title: text, salary: text }, fields }))).map(
      ({ severity, code, hint }) => `${severity} ${code} ${hint}`,
    );
  expect(await codes("{ former: { read: hasRole('hr') }, tags.0: { write: false } }")).toEqual([]);
  expect(await codes("{ salery: { read: hasRole('hr') } }")).toEqual([
    "warning field-rule-field did you mean 'salary'?",
  ]);
  expect(await codes("{ salery: { read: hasRole('hr') }, salary: { read: hasRole('hr') } }")).toEqual([]);
});
