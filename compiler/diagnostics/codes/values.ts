import type { CatalogueEntry } from "../entry.ts";

/** What can be wrong with a key or value, whichever file it stands in. */
export const valueCodes = {
  "unknown-key": {
    severity: "error",
    summary: "A key that does not exist here.",
    message: "there is no key '{key}' here",
    explanation:
      "An unknown key is an error: a misspelt setting must not silently fail to apply. The hint names the key that was probably meant, or those that exist.",
    wrong: { "collection.yaml": "softdelete: true" },
    right: { "collection.yaml": "soft_delete: true" },
  },
  "missing-key": {
    severity: "error",
    summary: "A required key is missing.",
    message: "the key '{key}' is missing{where}",
    explanation: "The key has no default, because none would be right for everyone.",
    wrong: { "collection.yaml": "references:\n  author: { field: author_id }" },
    right: { "collection.yaml": "references:\n  author: { collection: people, field: author_id }" },
  },
  "wrong-type": {
    severity: "error",
    summary: "A value has the wrong type.",
    message: "{what} must be {expected}, not {found}",
    explanation:
      "The value has another JSON type than the key takes. In YAML 1.2 only `true` and `false` are booleans; `yes`, `no`, `on` and `off` are strings.",
    wrong: { "collection.yaml": "soft_delete: yes" },
    right: { "collection.yaml": "soft_delete: true" },
  },
  "wrong-value": {
    severity: "error",
    summary: "A value is not one of those allowed.",
    message: "{what} must be {expected}, not {found}",
    explanation: "The key takes one of a few values, or values of a certain form.",
    wrong: { "realm.yaml": "auth: on" },
    right: { "realm.yaml": "auth: enabled" },
  },
  "out-of-range": {
    severity: "error",
    summary: "A number, a duration or the length of something is out of range.",
    message: "{what} must {expected}",
    explanation:
      "The limits are those of the specification and of the store. A duration is one second (`1s`) to a hundred years (`36500d`).",
    wrong: {
      "collection.yaml":
        "expand: { max_docs: 5000 }\nreferences:\n  author: { collection: people, field: author_id }",
    },
    right: {
      "collection.yaml":
        "expand: { max_docs: 500 }\nreferences:\n  author: { collection: people, field: author_id }",
    },
  },
  "duplicate-item": {
    severity: "error",
    summary: "A list holds the same item twice.",
    message: "{item} stands in this list twice",
    explanation: "The list is a set; the second entry is a slip, often of something else that was meant.",
    wrong: { "realm.yaml": "auth: enabled\nroles: { editor: {} }\ndefault_roles: [editor, editor]" },
    right: { "realm.yaml": "auth: enabled\nroles: { editor: {} }\ndefault_roles: [editor]" },
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;
