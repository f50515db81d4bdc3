import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { Access } from "../../runtime/documents/access.ts";
import type { CollectionDefinition } from "../../runtime/realm/definition.ts";
import type { RuleContext } from "../../runtime/realm/rule.ts";
import { sightOf } from "../../runtime/realtime/sight.ts";
import { allowed } from "../../runtime/rules/index.ts";
import { runs } from "../../runtime/testing/random.ts";
import { collectionOf } from "../../templates/testing/models.ts";
import type { CompiledRule } from "./compiled.ts";
import { leavesIn, valuesIn } from "./form/form.ts";
import { compileRules } from "./rules.ts";
import { type EmittedRules, emittedRules } from "./testing/emitted.ts";
import { ruleArbitrary } from "./testing/random-rules.ts";
import { contextArbitrary, documentArbitrary } from "./testing/random-worlds.ts";
import { noteFields, noteRealm, ofOrganizations, organizations, ruleSource } from "./testing/realms.ts";

/** A collection that everybody reads, but for one field that a random rule hides. */
interface Subject {
  readonly compiled: CompiledRule;
  readonly definition: CollectionDefinition;
  readonly fieldRules: NonNullable<EmittedRules["fieldRules"]>;
}

const contexts = fc.sample(contextArbitrary, { seed: 21, numRuns: 60 });
const documents = fc.sample(documentArbitrary, { seed: 22, numRuns: 60 });
let subjects: readonly Subject[] = [];

beforeAll(async () => {
  const sketches = fc.sample(ruleArbitrary({ data: false }), { seed: 23, numRuns: runs(600) });
  const collections = sketches.map(({ text }, at) => {
    const read = ruleSource(text, "read", at + 1);
    return collectionOf("desk", "db", `notes${at}`, {
      ...ofOrganizations,
      fields: noteFields,
      fieldRules: [{ path: "title", span: read.span, read }],
    });
  });
  const [first] = collections;
  if (first === undefined) return;
  const realm = { ...noteRealm(first), organizations, databases: [{ name: "db", collections }] };
  const stage = compileRules(realm);
  const modules = await emittedRules(collections, stage);
  subjects = collections.flatMap(({ name }, at) => {
    const compiled = stage.collections.get(`db/${name}`)?.fieldRules[0]?.read;
    const fieldRules = modules[at]?.fieldRules;
    if (compiled === undefined || fieldRules === undefined) return [];
    const definition: CollectionDefinition = {
      realm: "desk",
      database: "db",
      name,
      fields: {},
      indexes: [],
      validate: () => true,
      rules: { read: allowed },
      fieldRules,
    };
    return [{ compiled, definition, fieldRules }];
  });
}, 60_000);

function viewOf({ definition }: Subject, context: RuleContext): string {
  const access: Access = {
    caller: undefined,
    context,
    scopes: undefined,
    author: undefined,
    audit: undefined,
    withheld: undefined,
  };
  return sightOf(definition, access).key;
}

/** What the rule says of each document. */
function shownOf({ fieldRules }: Subject, context: RuleContext): string {
  const shows = (document: (typeof documents)[number]) =>
    fieldRules.every(({ read }) => read?.check(context, document) !== false);
  return documents.map((document) => (shows(document) ? "1" : "0")).join("");
}

/** Changes of one thing each, and whether a rule may read that thing. */
const changes: readonly {
  readonly of: string;
  readonly reads: (rule: CompiledRule) => boolean;
  readonly change: (context: RuleContext) => RuleContext;
}[] = [
  {
    of: "a role that no rule names",
    reads: (rule) => readsAt(rule, "user", "roles") || asksRolesOfDocuments(rule),
    change: ofUser(({ roles, ...user }) => ({ ...user, roles: [...roles, "unused"] })),
  },
  {
    of: "locale",
    reads: (rule) => readsAt(rule, "user", "locale"),
    change: ofUser((user) => ({ ...user, locale: "changed" })),
  },
  {
    of: "profile",
    reads: (rule) => readsAt(rule, "user", "profile"),
    change: ofUser((user) => ({ ...user, profile: { team: "changed", level: 99 } })),
  },
  {
    of: "app_config",
    reads: ({ facts }) => facts.readsAppConfig,
    change: (context) => ({ ...context, appConfig: { banner: "changed" } }),
  },
  {
    of: "a member of app_config that no rule reads",
    reads: () => false,
    change: ({ appConfig, ...context }) => ({ ...context, appConfig: { ...appConfig, unread: 1 } }),
  },
  {
    of: "memberships",
    reads: ({ facts }) => facts.memberships,
    change: (context) => ({ ...context, memberships: new Map() }),
  },
  {
    of: "a claim that no rule reads",
    reads: (rule) => valuesOf(rule).some((value) => value.kind === "claim" && value.path.length === 0),
    change: ({ memberships, ...context }) => ({
      ...context,
      memberships: new Map(
        [...memberships].map(([org, each]) => [org, { ...each, claims: { ...each.claims, unread: 1 } }]),
      ),
    }),
  },
  {
    of: "the order in which memberships come",
    reads: () => false,
    change: ({ memberships, ...context }) => ({
      ...context,
      memberships: new Map([...memberships].reverse()),
    }),
  },
  {
    of: "the time",
    reads: ({ facts }) => facts.readsClock,
    change: (context) => ({ ...context, now: "2031-01-01T00:00:00.000Z" }),
  },
];

function ofUser(
  change: (user: NonNullable<RuleContext["user"]>) => NonNullable<RuleContext["user"]>,
): (context: RuleContext) => RuleContext {
  return ({ user, ...context }) => ({ ...context, user: user && change(user) });
}

const valuesOf = ({ form }: CompiledRule) => [...valuesIn(form.condition)];

function readsAt(rule: CompiledRule, root: "user", member: string): boolean {
  return valuesOf(rule).some(
    (value) => value.kind === "read" && value.root === root && (value.path[0] ?? member) === member,
  );
}

/** It asks for a role that a document or a profile names. */
function asksRolesOfDocuments({ form }: CompiledRule): boolean {
  return [...leavesIn(form.condition)].some(
    (leaf) => leaf.kind === "hasRole" && leaf.roles.some(({ kind }) => kind !== "literal"),
  );
}

describe("what subscribers see of documents with random field rules (Realtime stream events 6)", () => {
  it("is the same text only where every document is shown the same", () => {
    const missed: unknown[] = [];
    let equal = 0;
    for (const subject of subjects) {
      const views = new Map<string, { readonly shown: string; readonly context: RuleContext }>();
      const changed = changes.flatMap(({ change }) => contexts.slice(0, 15).map(change));
      for (const context of [...contexts, ...changed]) {
        const view = viewOf(subject, context);
        const shown = shownOf(subject, context);
        const known = views.get(view);
        if (known === undefined) views.set(view, { shown, context });
        else if (known.shown === shown) equal += 1;
        else missed.push({ rule: subject.compiled.text, contexts: [known.context, context] });
      }
    }
    expect(missed.slice(0, 1)).toEqual([]);
    expect(equal).toBeGreaterThan(runs(1_000));
  });

  it.each(changes)(
    "is the same text after a change of $of, where the rule does not read it",
    ({ reads, change }) => {
      const needless: unknown[] = [];
      const unread = subjects.filter(({ compiled }) => !reads(compiled));
      for (const subject of unread)
        for (const context of contexts)
          if (viewOf(subject, context) !== viewOf(subject, change(context)))
            needless.push({ rule: subject.compiled.text, context });
      expect(needless.slice(0, 1)).toEqual([]);
      expect(unread.length).toBeGreaterThan(runs(30));
    },
  );

  it("is another text after most changes that show another thing of some document", () => {
    const differing = subjects.filter((subject) =>
      contexts.some((context) => shownOf(subject, context) !== shownOf(subject, contexts[0] ?? context)),
    );
    for (const subject of differing)
      expect(new Set(contexts.map((context) => viewOf(subject, context))).size).toBeGreaterThan(1);
    expect(differing.length).toBeGreaterThan(runs(100));
  });
});
