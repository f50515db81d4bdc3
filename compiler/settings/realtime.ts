/** `realtime` of collection.yaml: clients may follow the collection's changes. */
import { type Codes, diagnoser } from "../diagnostics/diagnose.ts";
import type { Span } from "../diagnostics/diagnostic.ts";
import { flag } from "../model/given.ts";
import type { Collection } from "../model/model.ts";
import { locate } from "../source/source.ts";
import type { Changes } from "./change.ts";
import { collectionSetting } from "./setting.ts";
import { type CollectionCheck, isReliable } from "./subject.ts";

declare module "../model/model.ts" {
  interface Collection {
    /** `realtime: true`, and where it stands. */
    readonly realtime?: { readonly span: Span };
  }
}

const codes = {
  "realtime-unreadable": {
    severity: "warning",
    summary: "A collection with realtime that nobody may read.",
    message: "{reason}, so nobody but API keys can follow this collection",
    hint: "leave it where programs with keys follow it, as they do an outbox; otherwise give it a read rule, or remove realtime",
    explanation:
      "A stream shows a caller the documents that they may read. Without a read rule, or with one that holds for nobody, signed in or not, every subscription of a user is refused; only API keys with the scope `read`, which rules do not concern, can follow the collection.",
    wrong: { "collection.yaml": "rules: { create: user != null }\nrealtime: true" },
    right: { "collection.yaml": "rules: { create: user != null, read: user != null }\nrealtime: true" },
  },
  "realtime-clock": {
    severity: "warning",
    summary:
      "Realtime with a read rule, of the documents or of a field, that compares what is stored with the clock.",
    message:
      "{rule} depends on the clock, so that every subscription is reset every five minutes, and clients load anew",
    hint: "let a write say what the clock says now, in a field that the rule asks for; or bear the reloads",
    explanation:
      "Nothing is written when a moment passes, so no change tells that a document has become visible or is visible no longer. Streams read the access of their callers anew every five minutes; where a rule depends on `now`, `ago` or `ahead`, what it lets through is another each time, and clients are told to reload.",
    wrong: { "collection.yaml": "rules: { read: document.publish_at < now }\nrealtime: true" },
    right: { "collection.yaml": "rules: { read: document.public }\nrealtime: true" },
  },
} as const satisfies Codes;

const changes = {
  "realtime-removed": {
    kind: "breaking",
    message: "the collection cannot be followed any longer",
    why: "Subscriptions are refused (`realtime_not_enabled`), and streams that resume lose them.",
  },
  "realtime-added": {
    kind: "additive",
    message: "the collection can be followed by a stream",
    why: "Nobody follows it yet.",
  },
} as const satisfies Changes;

export const diagnose = diagnoser(codes);

/** Without a read rule nobody but API keys can follow a collection. */
const realtimeWithoutRead: CollectionCheck = (subject) => {
  const { realm, collection } = subject;
  const { realtime, rules } = collection;
  if (!realm.auth || realtime === undefined || rules.read !== undefined) return [];
  if (!isReliable(subject, ["rules", "read"])) return [];
  return [diagnose("realtime-unreadable", realtime.span, { reason: "there is no read rule" })];
};

export const realtime = collectionSetting({
  codes,
  changes,
  checks: [realtimeWithoutRead],
  compare: (old, now, place, report) => {
    if ((old.realtime === undefined) === (now.realtime === undefined)) return;
    report(now.realtime === undefined ? "realtime-removed" : "realtime-added", `${place} realtime`, {});
  },
  read: ({ file, given }): Pick<Collection, "realtime"> =>
    given.read("realtime", flag) ? { realtime: { span: locate(file, ["realtime"], "key") } } : {},
  definition: ({ collection }) => ({ realtime: collection.realtime && true }),
});
