/** `cache`: what anonymous callers may read, shared caches may keep. */
import { type Codes, diagnoser } from "../diagnostics/diagnose.ts";
import type { Diagnostic, Span } from "../diagnostics/diagnostic.ts";
import { flag, number, objectOf } from "../model/given.ts";
import type { Collection } from "../model/model.ts";
import type { CompiledRules } from "../rules/compiled.ts";
import { locate } from "../source/source.ts";
import type { Changes, Report } from "./change.ts";
import { readRules } from "./read-rules.ts";
import { collectionSetting } from "./setting.ts";
import { type CollectionCheck, isReliable } from "./subject.ts";

declare module "../model/model.ts" {
  interface Collection {
    /** With `public: true`: seconds. */
    readonly publicCache?: { readonly maxAge: number; readonly span: Span };
  }
}

const codes = {
  "cache-max-age": {
    severity: "error",
    summary: "Public caching without a valid max_age.",
    message: "public caching needs max_age, from 1 to 3600 seconds",
    explanation: "Shared caches keep what they are given; for how long must be said.",
    wrong: { "collection.yaml": "rules: { read: true }\ncache: { public: true }" },
    right: { "collection.yaml": "rules: { read: true }\ncache: { public: true, max_age: 60 }" },
  },
  "cache-without-read": {
    severity: "error",
    summary: "Public caching without a read rule.",
    message: "public caching needs a read rule; without one nobody may read the collection",
    hint: "add rules: { read: … }, true where everyone may read everything",
    explanation:
      "What is cached publicly is what an anonymous caller may read, so that must have been decided.",
    wrong: { "collection.yaml": "cache: { public: true, max_age: 60 }" },
    right: { "collection.yaml": "rules: { read: true }\ncache: { public: true, max_age: 60 }" },
  },
  "cache-anonymous": {
    severity: "error",
    summary: "Public caching with a read rule that anonymous callers can never satisfy.",
    message: "anonymous callers can never satisfy the read rule, so nothing could be cached publicly",
    hint: "remove cache, or let the read rule allow something to everyone",
    explanation: "Only answers to requests without credentials are cached publicly.",
    wrong: { "collection.yaml": "rules: { read: user != null }\ncache: { public: true, max_age: 60 }" },
    right: {
      "collection.yaml":
        "rules: { read: document.public || user != null }\ncache: { public: true, max_age: 60 }",
    },
  },
  "cache-clock": {
    severity: "error",
    summary: "Public caching with a read rule, of the documents or of a field, that depends on the clock.",
    message: "{rule} depends on the clock, so a cached answer could show what is no longer allowed",
    hint: "remove cache, or the use of now, ago and ahead in this rule",
    explanation:
      "A shared cache goes on serving an answer until `max_age`, whatever the rule says by then, and with it the fields that were shown in it.",
    wrong: {
      "collection.yaml":
        "rules: { read: document.public }\nfields:\n  salary: { read: document.publish_at < now }\ncache: { public: true, max_age: 60 }",
    },
    right: {
      "collection.yaml":
        "rules: { read: document.public }\nfields:\n  salary: { read: hasRole('hr') }\ncache: { public: true, max_age: 60 }",
    },
  },
  "cache-app-config": {
    severity: "warning",
    summary: "Public caching with a read rule, of the documents or of a field, that depends on appConfig.",
    message:
      "{rule} depends on appConfig; when an administrator replaces that, shared caches go on showing what was allowed before, for max_age: {seconds} seconds",
    hint: "lower max_age to what is bearable, or remove cache",
    explanation:
      "Administrators replace `app_config` while the server runs. What anonymous callers may see changes at once, what shared caches show of it up to `max_age` later.",
    wrong: {
      "realm.yaml": "auth: enabled\napp_config: { open: true }",
      "collection.yaml": "rules: { read: appConfig.open }\ncache: { public: true, max_age: 60 }",
    },
    right: {
      "realm.yaml": "auth: enabled\napp_config: { open: true }",
      "collection.yaml": "rules: { read: document.public }\ncache: { public: true, max_age: 60 }",
    },
  },
} as const satisfies Codes;

const changes = {
  "cache-enabled": {
    kind: "additive",
    message: "anonymous reads may be answered by shared caches, up to {seconds} s old",
    why: "Answers have the same form; they may be older.",
  },
  "cache-disabled": {
    kind: "additive",
    message: "anonymous reads are answered by the server alone",
    why: "Answers have the same form; they are never old.",
  },
  "cache-age-changed": {
    kind: "additive",
    message: "anonymous reads may be {new} s old, {old} s before",
    why: "Answers have the same form.",
  },
} as const satisfies Changes;

const diagnose = diagnoser(codes);

/** `cache.public` with a max_age of 1 to 3600 seconds and a read rule (http-api.md, Concurrency 5). */
const publicCache: CollectionCheck = (subject) => {
  const { collection, collectionFile: file } = subject;
  const { public: isPublic, max_age: maxAge } = objectOf(file?.value.cache);
  if (file === undefined || !isReliable(subject, ["cache"])) return [];
  const found: Diagnostic[] = [];
  if (
    isPublic === true
      ? typeof maxAge !== "number" || !isMaxAge(maxAge)
      : maxAge !== undefined && !isMaxAge(Number(maxAge))
  ) {
    found.push(
      diagnose("cache-max-age", locate(file, ["cache", ...(maxAge === undefined ? [] : ["max_age"])]), {}),
    );
  }
  if (isPublic === true && collection.rules.read === undefined && isReliable(subject, ["rules", "read"])) {
    found.push(diagnose("cache-without-read", locate(file, ["cache", "public"], "key"), {}));
  }
  return found;
};

function isMaxAge(seconds: number): boolean {
  return Number.isInteger(seconds) && seconds >= 1 && seconds <= 3600;
}

/**
 * Public caching needs a read rule that anonymous callers can satisfy. What a shared cache keeps must not depend on the clock,
 * neither by that rule nor by the read rule of a field; where it depends on `appConfig`, that is said. Rules with
 * mistakes of their own are absent.
 */
function publicCacheFacts(collection: Collection, compiled: CompiledRules): Diagnostic[] {
  const { publicCache } = collection;
  if (publicCache === undefined) return [];
  const { span, maxAge } = publicCache;
  return readRules(collection, compiled).flatMap(({ rule, compiled: { facts }, source, isOfField }) => {
    const related = [{ message: `${rule} stands here`, span: source.span }];
    const found: Diagnostic[] = [];
    if (!isOfField && !facts.anonymous) found.push(diagnose("cache-anonymous", span, {}, { related }));
    if (facts.readsClock) found.push(diagnose("cache-clock", span, { rule }, { related }));
    if (facts.readsAppConfig)
      found.push(diagnose("cache-app-config", span, { rule, seconds: maxAge }, { related }));
    return found;
  });
}

function compare(
  { publicCache: old }: Collection,
  { publicCache: now }: Collection,
  place: string,
  report: Report<typeof changes>,
): void {
  const where = `${place} cache`;
  if (old?.maxAge === now?.maxAge) return;
  if (now === undefined) report("cache-disabled", where, {});
  else if (old === undefined) report("cache-enabled", where, { seconds: now.maxAge });
  else report("cache-age-changed", where, { old: old.maxAge, new: now.maxAge });
}

export const cache = collectionSetting({
  codes,
  changes,
  checks: [publicCache],
  facts: publicCacheFacts,
  compare,
  read: ({ file, given }): Pick<Collection, "publicCache"> => {
    const settings = given.in("cache");
    const maxAge = settings.find("max_age", number);
    if (settings.find("public", flag) !== true || maxAge === undefined) return {};
    return { publicCache: { maxAge, span: locate(file, ["cache"]) } };
  },
  definition: ({ collection }) => ({ publicMaxAge: collection.publicCache?.maxAge }),
  effective: ({ collection: { publicCache: kept } }) => ({
    cache: kept === undefined ? { public: false } : { public: true, max_age: kept.maxAge },
  }),
});
