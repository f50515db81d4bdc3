/** What explaining says of random rules, callers and documents is what the emitted rules do. */
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { isJsonObject, type JsonObject } from "../../runtime/json.ts";
import { mergePatch } from "../../runtime/merge-patch.ts";
import type { RuleContext } from "../../runtime/realm/rule.ts";
import { isFull } from "../../runtime/testing/random.ts";
import { collectionOf } from "../../templates/testing/models.ts";
import type { Collection, RuleName } from "../model/model.ts";
import { compileRules } from "../rules/rules.ts";
import { type EmittedRules, emittedRules } from "../rules/testing/emitted.ts";
import { ruleArbitrary } from "../rules/testing/random-rules.ts";
import { contextArbitrary, documentArbitrary } from "../rules/testing/random-worlds.ts";
import {
  noteFields,
  noteRealm,
  ofOrganizations,
  organizations,
  ruleSource,
} from "../rules/testing/realms.ts";
import { userAccess } from "./caller.ts";
import { decide, type Rules } from "./decision.ts";

/** Collections with random rules for every operation and for a field, and what is emitted for them. */
interface Subject {
  readonly of: Rules;
  readonly emitted: EmittedRules;
}

const seed = 17;
/** How many callers, documents and requests. */
const all = isFull ? 100_000 : 4_000;
const path = "title";
/** Without dates, which the schema would refuse in most random documents. */
const fields = noteFields.filter(({ kinds }) => !kinds.some((kind) => kind.startsWith("date")));
const names: readonly RuleName[] = ["create", "read", "update", "delete", "restore", "purge"];
/** Updates by PATCH, and by PUT. */
const operations = [...names, "replace"] as const;
let subjects: readonly Subject[] = [];

beforeAll(async () => {
  const readable = fc.sample(ruleArbitrary({ data: false }), { seed, numRuns: 400 });
  const writing = fc.sample(ruleArbitrary({ data: true }), { seed: seed + 1, numRuns: 200 });
  const text = (from: typeof readable, at: number) => from[at % from.length]?.text ?? "false";
  const collections = Array.from({ length: 120 }, (_, at): Collection => {
    const texts: Readonly<Record<string, string>> = {
      read: text(readable, at),
      restore: text(readable, at + 130),
      delete: text(readable, at + 260),
      purge: text(readable, at + 310),
      create: text(writing, at).replaceAll("document", "data"),
      update: text(writing, at + 70),
    };
    const read = ruleSource(text(readable, at + 200), "read", 90);
    return collectionOf("desk", "db", `notes${at}`, {
      ...ofOrganizations,
      fields,
      softDelete: {},
      rules: Object.fromEntries(
        names.map((name, row) => [name, ruleSource(texts[name] ?? "false", name, 10 * (row + 1))]),
      ),
      fieldRules: [{ path, span: read.span, read }],
    });
  });
  const [first] = collections;
  if (first === undefined) throw new Error("there are collections");
  const realm = { ...noteRealm(first), organizations, databases: [{ name: "db", collections }] };
  const stage = compileRules(realm);
  const modules = await emittedRules(collections, stage);
  subjects = collections.flatMap((collection, at): readonly Subject[] => {
    const rules = stage.collections.get(`db/${collection.name}`);
    const emitted = modules[at];
    return rules === undefined || emitted === undefined
      ? []
      : [{ of: { realm, collection, rules }, emitted }];
  });
}, 60_000);

const worldArbitrary = fc.record({
  context: contextArbitrary,
  document: documentArbitrary,
  data: documentArbitrary,
  deleted: fc.boolean(),
  operation: fc.constantFrom(...operations),
});

/** What the emitted rules say, and which rule decides. */
function emittedSays(
  { rules, fieldRules = [] }: EmittedRules,
  operation: RuleName,
  context: RuleContext,
  document: JsonObject,
  data: JsonObject,
): { readonly status: number; readonly hidden: readonly string[] } {
  const refused = context.user === undefined ? 401 : 403;
  const isDeleted = isJsonObject(document["_meta"]) && document["_meta"]["deleted_at"] !== undefined;
  const nothing = { _meta: {} };
  const hidden = fieldRules.some(({ read }) => read !== undefined && !read.check(context, document))
    ? [path]
    : [];
  if (operation === "create") {
    const { create } = rules;
    const holds = create?.possible?.(context) !== false && create?.check(context, nothing, data) === true;
    return { status: holds ? 201 : refused, hidden: [] };
  }
  const sees =
    rules.read?.check(context, document) === true &&
    (!isDeleted || rules.restore?.check(context, document) === true);
  const possible = (rule: { possible?: (context: RuleContext) => boolean } | undefined) =>
    rule !== undefined && rule.possible?.(context) !== false;
  if (operation === "read") {
    const { read, restore } = rules;
    const never =
      read === undefined || (read.possible?.(context) ?? read.filter(context).op !== "false") === false;
    const neverDeleted =
      isDeleted &&
      (restore === undefined ||
        (restore.possible?.(context) ?? restore.filter(context).op !== "false") === false);
    return { status: never || neverDeleted ? refused : sees ? 200 : 404, hidden };
  }
  if (operation === "restore") {
    const { restore } = rules;
    const never =
      restore === undefined ||
      (restore.possible?.(context) ?? restore.filter(context).op !== "false") === false;
    return { status: never ? refused : sees && isDeleted ? 200 : 404, hidden };
  }
  if (!possible(rules[operation])) return { status: refused, hidden };
  if (!sees || (isDeleted && operation !== "purge")) return { status: 404, hidden };
  const allowed =
    rules[operation]?.check(context, document, operation === "update" ? data : nothing) === true;
  return { status: allowed ? (operation === "update" ? 200 : 204) : refused, hidden };
}

test("explain says of random callers, documents and rules what the emitted rules do", () => {
  expect(subjects.length).toBeGreaterThan(60);
  const counts = new Map<string, number>();
  const worlds = fc.sample(worldArbitrary, { seed, numRuns: all });
  for (const [at, { context, document: given, data: sent, deleted, operation: asked }] of worlds.entries()) {
    const operation = asked === "replace" ? "update" : asked;
    const subject = subjects[at % subjects.length];
    if (subject === undefined) throw new Error("there are subjects");
    const meta = isJsonObject(given["_meta"]) ? given["_meta"] : {};
    const document: JsonObject = {
      ...given,
      id: "d1",
      _meta: { ...meta, version: 1, ...(deleted && { deleted_at: "2026-02-01T00:00:00.000Z" }) },
    };
    const { _meta: _, ...members } = sent;
    const { _meta: own, ...stored } = document;
    const belonging = (from: unknown) => {
      const { org, team } = isJsonObject(from) ? from : {};
      return { ...(typeof org === "string" && { org }), ...(typeof team === "string" && { team }) };
    };
    const request =
      operation === "create"
        ? ({ operation, data: members } as const)
        : operation === "update"
          ? ({
              operation,
              document,
              change: asked === "replace" ? "replace" : "patch",
              data: members,
            } as const)
          : ({ operation, document } as const);
    const data =
      operation === "create"
        ? { ...members, _meta: {} }
        : { ...(asked === "replace" ? members : mergePatch(stored, members)), _meta: belonging(own) };
    const said = decide(subject.of, userAccess(context), request);
    const meant = emittedSays(subject.emitted, operation, context, document, data);
    // What hides the field is asked of what is stored; members that the caller does not see keep their values.
    const isKept = operation === "update" && meant.hidden.length > 0;
    if (isKept) continue;
    const world = { rules: subject.of.collection.rules, operation, context, document, data };
    if (said.status !== meant.status)
      expect({ ...world, status: said.status }).toEqual({ ...world, ...meant });
    if (said.decision !== (meant.status < 300 ? "allow" : "deny")) expect(said).toEqual(meant);
    if (said.decision === "allow" && operation !== "create" && `${said.hidden}` !== `${meant.hidden}`)
      expect({ ...world, hidden: said.hidden }).toEqual({ ...world, ...meant });
    const [whole] = said.values;
    // The rule that is shown comes to what was decided.
    if (whole !== undefined && (whole.value === true) !== (said.decision === "allow"))
      expect({ ...world, shown: said.rule }).toEqual(said.decision);
    if (whole !== undefined && said.deciding.length === 0) expect({ ...world, said }).toBe("deciding");
    counts.set(`${asked} ${said.decision}`, (counts.get(`${asked} ${said.decision}`) ?? 0) + 1);
  }
  // Nothing of it is all one way.
  for (const operation of operations)
    for (const decision of ["allow", "deny"])
      expect([operation, decision, (counts.get(`${operation} ${decision}`) ?? 0) > all / 1_000]).toEqual([
        operation,
        decision,
        true,
      ]);
}, 300_000);
