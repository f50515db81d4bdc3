import type { CheckEntry } from "../../settings/change.ts";

/** What is not a setting's own. */
export const functionChecks = {
  "function-removed": {
    kind: "breaking",
    message: "the function is gone",
    why: "Its route answers 404; what it did for events is not done, and queued runs fail.",
  },
  "function-added": {
    kind: "additive",
    message: "the function is new",
    why: "Nobody uses it yet. For reviewers: its scopes, secrets and hosts are new with it.",
  },
  "input-narrowed": {
    kind: "breaking",
    message: "{change}",
    why: "Calls that were accepted are refused (`validation_error`), queued ones among them, or it cannot be told that none is.",
  },
  "input-widened": {
    kind: "additive",
    message: "{change}",
    why: "Calls that were refused are accepted.",
  },
  "output-widened": {
    kind: "breaking",
    message: "{change}",
    why: "Callers receive a form that they do not know, or miss what they rely on, or it cannot be told that none does.",
  },
  "output-extended": {
    kind: "additive",
    message: "{change}",
    why: "Callers receive more values of the form that they know, or members that they do not, as readers of documents may.",
  },
  "output-narrowed": {
    kind: "additive",
    message: "{change}",
    why: "All that is returned is what could be returned before.",
  },
  "when-narrowed": {
    kind: "breaking",
    message: "{words}; {witness}",
    why: "What the function did for some changes is not done, or it cannot be told that it is: the search is bounded.",
  },
  "when-widened": {
    kind: "additive",
    message: "{words}; {witness}",
    why: "The function runs for more changes. By their forms it runs for all that it ran for.",
  },
  "when-moved": {
    kind: "breaking",
    message: "{words}; {lost}; {gained}",
    why: "The function runs for other changes.",
  },
  "handler-changed": {
    kind: "internal",
    message: "the code changed ({files}): what it does may differ",
    why: "What code does is not compared; types of what it takes and returns are.",
  },
  "shared-code-changed": {
    kind: "internal",
    message: "code that handlers import changed ({files}): what they do may differ",
    why: "It lies outside of the functions' own folders.",
  },
} as const satisfies Readonly<Record<string, CheckEntry>>;
