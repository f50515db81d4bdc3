/** Rules as both engines evaluate them: what a list finds is what the check allows, over random rules and callers. */
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  documentFields,
  type FieldTable,
  field,
  organizationFields,
  ownershipFields,
  teamFields,
} from "../../runtime/filter/fields.ts";
import type { JsonObject } from "../../runtime/json.ts";
import type { StoreCollection } from "../../runtime/store/contract/collection.ts";
import type { Store } from "../../runtime/store/contract/store.ts";
import { testStore } from "../../runtime/store/testing/stores.ts";
import { runs } from "../../runtime/testing/random.ts";
import { collectionOf } from "../../templates/testing/models.ts";
import { compileRules } from "./rules.ts";
import { type EmittedRules, emittedRules } from "./testing/emitted.ts";
import { ruleArbitrary } from "./testing/random-rules.ts";
import type { BooleanRule } from "./testing/random-values.ts";
import { contextArbitrary, documentArbitrary } from "./testing/random-worlds.ts";
import { noteFields, noteRealm, ofOrganizations, organizations, ruleSource } from "./testing/realms.ts";

const fields: FieldTable = {
  ...documentFields,
  ...ownershipFields,
  ...organizationFields,
  ...teamFields,
  ...Object.fromEntries(noteFields.map(({ path, kinds, arrays }) => [path, field(path, kinds, arrays)])),
};
const created = "2026-03-01T00:00:00.000Z";

/** With what the server owns as it writes it. */
const stored = fc
  .array(
    fc.tuple(
      documentArbitrary,
      fc.record(
        {
          owner: fc.constantFrom("u1", "u2"),
          org: fc.constantFrom("o1", "o2", "o3", "o9"),
          team: fc.constantFrom("t1", "t2", "t9"),
        },
        { requiredKeys: [] },
      ),
    ),
    { minLength: 40, maxLength: 40 },
  )
  .map((all) =>
    all.map(([{ _meta, ...body }, owned], at): JsonObject & { readonly id: string } => ({
      ...body,
      id: `d${String(at).padStart(2, "0")}`,
      _meta: { created_at: created, updated_at: created, version: 1, ...owned },
    })),
  );

const [documents = []] = fc.sample(stored, { seed: 31, numRuns: 1 });
const contexts = fc.sample(contextArbitrary, { seed: 32, numRuns: 12 });

let store: Store;
let collection: StoreCollection;
let subjects: readonly { readonly rule: BooleanRule; readonly emitted: EmittedRules }[] = [];

beforeAll(async () => {
  store = await testStore();
  const name = "db.notes";
  const keys = [{ field: organizationFields["_meta.org"], descending: false }];
  await store.provision([{ name, fields, indexes: [{ name: "org", keys, unique: false }], feed: false }]);
  collection = store.collection(name);
  await collection.load(
    documents.map((document) => ({
      id: document.id,
      version: 1,
      createdAt: Date.parse(created),
      text: JSON.stringify(document),
    })),
  );
  const rules = fc
    .sample(ruleArbitrary({ data: false }), { seed: 33, numRuns: runs(400) })
    .filter(({ text }) => /\b(?:inOrg|inTeam|hasOrgRole|hasTeamRole|orgClaims)\(document/.test(text));
  const collections = rules.map(({ text }, at) =>
    collectionOf("desk", "db", `notes${at}`, {
      ...ofOrganizations,
      fields: noteFields,
      rules: { read: ruleSource(text, "read", at + 1) },
    }),
  );
  const [first] = collections;
  if (first === undefined) return;
  const stage = compileRules({
    ...noteRealm(first, { organizations }),
    databases: [{ name: "db", collections }],
  });
  const modules = await emittedRules(collections, stage);
  subjects = modules.flatMap((emitted, at) => {
    const rule = rules[at];
    return rule !== undefined && emitted.rules.read !== undefined ? [{ rule, emitted }] : [];
  });
}, 60_000);
afterAll(() => store.close());

it("lists contain the documents that the check of their read rule allows, for callers of any organizations", async () => {
  expect(subjects.length).toBeGreaterThan(runs(60));
  let found = 0;
  for (const { rule, emitted } of subjects) {
    for (const context of contexts) {
      const read = emitted.rules.read;
      if (read === undefined) continue;
      const page = await collection.find({
        filter: read.filter(context),
        visibility: "live",
        limit: 100,
        skip: 0,
      });
      const ids = page.map(({ id }) => id);
      const allowed = documents.filter((document) => read.check(context, document)).map(({ id }) => id);
      expect([rule.text, [...ids].sort()]).toEqual([rule.text, allowed]);
      found += ids.length;
    }
  }
  expect(found).toBeGreaterThan(1_000);
});
