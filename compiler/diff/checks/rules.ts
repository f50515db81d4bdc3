import type { CheckEntry } from "../../settings/change.ts";

export const ruleChecks = {
  "retired-field-readable": {
    kind: "leak",
    message:
      "was hidden by `{rule}`; the schema does not declare it any longer, and nothing hides what is stored there; {witness}",
    why: "Documents are answered as they are stored, so a read rule that goes with its field shows what it hid. `retired: published` says that it is meant, and then the rule is `rule-widened`.",
  },
  "rule-narrowed": {
    kind: "breaking",
    message: "{words}; {witness}",
    why: "Somebody may no longer do what they could: the witness.",
  },
  "rule-widened": {
    kind: "additive",
    message: "{words}; {witness}",
    why: "Somebody may do what they could not: the witness. By their forms nobody may do less.",
  },
  "rule-unproven": {
    kind: "breaking",
    message: "{words}; {witness}; nobody was found who loses anything, but that is not proven",
    why: "Somebody may do what they could not. The search is bounded: a rule that may be narrower is taken for one.",
  },
  "rule-moved": {
    kind: "breaking",
    message: "{words}; {lost}; {gained}",
    why: "Somebody may no longer do what they could, and somebody may do what they could not.",
  },
  "rule-implied": {
    kind: "additive",
    message: "{words}; nobody loses anything, and no caller and document was found that gains",
    why: "All that satisfied the old rule satisfies the new one, by their forms.",
  },
  "rule-undecided": {
    kind: "breaking",
    message:
      "{words}; no caller and document was found that the two rules treat differently, but they are not proven equal",
    why: "The search is bounded. A rule that may be narrower is taken for one.",
  },
  "rule-rewritten": {
    kind: "internal",
    message: "written otherwise, means the same",
    why: "For every caller, and every document that the schema leaves room for, both rules have the same outcome by their forms.",
  },
} as const satisfies Readonly<Record<string, CheckEntry>>;
