/** `custom_id`: clients choose the ids of documents. */
import {
  given,
  object as objectCode,
  pattern as patternCode,
  patternSource,
  property,
} from "../../templates/print/code.ts";
import { type Codes, diagnoser } from "../diagnostics/diagnose.ts";
import type { Diagnostic, Span } from "../diagnostics/diagnostic.ts";
import { anything, number, object, present, text } from "../model/given.ts";
import type { Collection } from "../model/model.ts";
import { patternProblem } from "../model/pattern-problem.ts";
import { locate } from "../source/source.ts";
import type { Changes, Report } from "./change.ts";
import { outsideIds } from "./id-patterns.ts";
import { collectionSetting } from "./setting.ts";
import type { CollectionCheck } from "./subject.ts";

declare module "../model/model.ts" {
  interface Collection {
    readonly customId?: CustomIds;
  }
}

interface CustomIds {
  /** `user`: only the creating user's own id. */
  readonly is?: "user";
  readonly pattern?: string;
  /** `id_taken` answers that a caller may get in a minute. */
  readonly duplicateLimit: number;
  readonly span: Span;
}

const codes = {
  "custom-id-pattern": {
    severity: "error",
    summary: "The pattern of custom_id is not a valid regular expression.",
    message: "not a regular expression: {problem}",
    explanation: "Patterns are ECMAScript regular expressions with the `u` flag.",
    wrong: { "collection.yaml": "custom_id: { pattern: '^[a-z' }" },
    right: { "collection.yaml": "custom_id: { pattern: '^[a-z]+$' }" },
  },
  "custom-id-without-auth": {
    severity: "error",
    summary: "The setting custom_id: user in a realm without users.",
    message: "custom_id: user needs users, and this realm has auth: disabled",
    explanation: "With `custom_id: user` the id of a document is that of the user who creates it.",
    wrong: { "realm.yaml": "auth: disabled", "collection.yaml": "custom_id: user" },
    right: { "realm.yaml": "auth: enabled", "collection.yaml": "custom_id: user" },
  },
  "custom-id-outside": {
    severity: "warning",
    summary: "A `custom_id.pattern` that no possible id matches.",
    message: "no id fits this pattern: {problem}",
    hint: "ids have 1 to 128 letters of ASCII, digits and - . _ ~, and do not begin with _",
    explanation:
      "Besides the pattern every id must be safe in addresses and file names. What only ids outside of that would match refuses every create.",
    wrong: { "collection.yaml": "custom_id: { pattern: '^[a-z]+:[0-9]+$' }" },
    right: { "collection.yaml": "custom_id: { pattern: '^[a-z]+-[0-9]+$' }" },
  },
} as const satisfies Codes;

const changes = {
  "custom-id-enabled": {
    kind: "breaking",
    message: "clients choose ids: a create without one is refused (id_required)",
    why: "Creates as they were sent are refused.",
  },
  "custom-id-disabled": {
    kind: "breaking",
    message: "the server makes ids: a create with one is refused (id_not_allowed)",
    why: "Creates as they were sent are refused.",
  },
  "custom-id-narrowed": {
    kind: "breaking",
    message: "new ids: {old} before, now {new}",
    why: "Ids that were accepted are refused (`invalid_id`).",
  },
  "custom-id-widened": {
    kind: "additive",
    message: "new ids: {old} before, now {new}",
    why: "More ids are accepted.",
  },
  "duplicate-limit-lowered": {
    kind: "breaking",
    message: "a caller may be told {new} times a minute that an id is taken, {old} before",
    why: "Clients that try ids are told to wait earlier (429).",
  },
  "duplicate-limit-raised": {
    kind: "additive",
    message: "a caller may be told {new} times a minute that an id is taken, {old} before",
    why: "Clients that try ids are told to wait later.",
  },
} as const satisfies Changes;

const diagnose = diagnoser(codes);

/** The pattern compiles, and `user` has users. */
const sound: CollectionCheck = ({ realm, collection, collectionFile: file }) => {
  const { customId } = collection;
  if (file === undefined || customId === undefined) return [];
  const { is, pattern, span } = customId;
  const found: Diagnostic[] =
    is === "user" && !realm.auth ? [diagnose("custom-id-without-auth", span, {})] : [];
  if (pattern === undefined) return found;
  const place = locate(file, ["custom_id", "pattern"]);
  const problem = patternProblem(pattern);
  if (problem !== undefined) return [...found, diagnose("custom-id-pattern", place, { problem })];
  const outside = outsideIds(pattern);
  return outside === undefined
    ? found
    : [...found, diagnose("custom-id-outside", place, { problem: outside })];
};

function compare(
  { customId: old }: Collection,
  { customId: now }: Collection,
  place: string,
  report: Report<typeof changes>,
): void {
  const where = `${place} custom_id`;
  if (old === undefined || now === undefined) {
    if (old !== undefined) report("custom-id-disabled", where, {});
    if (now !== undefined) report("custom-id-enabled", where, {});
    return;
  }
  const form = ({ is, pattern }: CustomIds): string =>
    is === "user" ? "the user's own id" : pattern === undefined ? "any" : `those that match ${pattern}`;
  if (form(old) !== form(now)) {
    const anyId = now.is === undefined && now.pattern === undefined;
    report(anyId ? "custom-id-widened" : "custom-id-narrowed", where, { old: form(old), new: form(now) });
  }
  if (old.duplicateLimit !== now.duplicateLimit) {
    const lowered = now.duplicateLimit < old.duplicateLimit;
    const parameters = { old: old.duplicateLimit, new: now.duplicateLimit };
    report(lowered ? "duplicate-limit-lowered" : "duplicate-limit-raised", where, parameters);
  }
}

export const customId = collectionSetting({
  codes,
  changes,
  checks: [sound],
  brings: { custom_id: ["id"] },
  compare,
  read: ({ file, given: all }): Pick<Collection, "customId"> => {
    const value = all.read("custom_id", anything);
    if (value !== true && value !== "user" && object(value) === undefined) return {};
    const settings = all.in("custom_id");
    return {
      customId: {
        ...(value === "user" ? { is: value } : {}),
        ...present({ pattern: settings.find("pattern", text) }),
        duplicateLimit: settings.read("duplicate_limit", number),
        span: locate(file, ["custom_id"]),
      },
    };
  },
  definition: ({ collection: { customId: ids } }) => ({
    customId:
      ids &&
      objectCode([
        given(ids.is, (whose) => property("is", whose)),
        given(ids.pattern, (source) => property("pattern", patternCode(source))),
        property("duplicateLimit", ids.duplicateLimit),
      ]),
  }),
  traits: ({ customId: ids }) => (ids === undefined ? [] : ["custom_id"]),
  effective: ({ collection: { customId: ids } }) => ({
    custom_id: ids !== undefined && {
      ...present({ is: ids.is }),
      pattern: ids.pattern === undefined ? null : patternSource(ids.pattern),
      duplicate_limit: ids.duplicateLimit,
    },
  }),
});
