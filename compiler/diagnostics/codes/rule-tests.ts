import type { CatalogueEntry } from "../entry.ts";

const file = "support/tickets/_tests/tickets.yaml";
const ofRealm = "_tests/tickets.yaml";

const rules = { "collection.yaml": "rules: { read: true, update: user != null }" } as const;

const callers = "callers: { ada: {} }";
const documents = "documents: { open: { status: open } }";

function tests(test: string, ...before: readonly string[]): string {
  return [...before, `tests:\n  - ${test}`].join("\n");
}

/** What can be wrong with tests of rules. */
export const ruleTestCodes = {
  "rule-test-unknown": {
    severity: "error",
    summary: "A rule test names something that there is not.",
    message: "there is no {what} '{name}'",
    explanation:
      "Callers and documents of a test are those of its file; roles, fields, functions and the values of enumerations those of the configuration. A misspelt name would make a test that passes whatever the rules say.",
    wrong: { ...rules, [file]: tests("read: { allow: { ads: [open] } }", callers, documents) },
    right: { ...rules, [file]: tests("read: { allow: { ada: [open] } }", callers, documents) },
  },
  "rule-test-unfit": {
    severity: "error",
    summary: "A document of rule tests does not fit its schema.",
    message: "the document does not fit its schema: {problem}",
    explanation:
      "Stored documents fit the schema of their collection, so rules are tested on such. One that became unfit when the schema changed says so: `unfit: true`.",
    wrong: {
      ...rules,
      [file]: tests("read: { allow: { ada: [open] } }", callers, "documents: { open: { status: opne } }"),
    },
    right: { ...rules, [file]: tests("read: { allow: { ada: [open] } }", callers, documents) },
  },
  "rule-test-data": {
    severity: "error",
    summary: "What a rule test writes does not fit the schema.",
    message: "this write is refused with 400, whatever the rules say: {problem}",
    explanation:
      "The schema is asked before the rules are, so a test with such data says nothing of them. Where that refusal is what is meant, `status: 400` beside `deny` says so.",
    wrong: {
      ...rules,
      [file]: tests(
        "update: { as: ada, document: open, patch: { status: closd }, deny: true }",
        callers,
        documents,
      ),
    },
    right: {
      ...rules,
      [file]: tests(
        "update: { as: ada, document: open, patch: { status: closd }, deny: true, status: 400 }",
        callers,
        documents,
      ),
    },
  },
  "rule-test-operation": {
    severity: "error",
    summary: "A rule test has no operation, or several.",
    message: "a test has one operation, and this one has {problem}",
    hint: "give it one of read, create, update, delete, restore, purge, list, fields, call and create_organization",
    explanation: "Each test says one thing, so that its name tells what broke.",
    wrong: { ...rules, [file]: tests("name: everybody reads", callers, documents) },
    right: {
      ...rules,
      [file]: tests("name: everybody reads\n    read: { allow: { ada: [open] } }", callers, documents),
    },
  },
  "rule-test-expectation": {
    severity: "error",
    summary: "A rule test does not say what must come of it, or what is done.",
    message: "the test cannot be decided: {problem}",
    explanation:
      "Each test says what is done and what must come of it: `allow: true` or `deny: true`, of lists which documents they hold, of fields which are hidden and shown.",
    wrong: {
      ...rules,
      [file]: tests("update: { as: ada, document: open, patch: { status: closed } }", callers, documents),
    },
    right: {
      ...rules,
      [file]: tests(
        "update: { as: ada, document: open, patch: { status: closed }, allow: true }",
        callers,
        documents,
      ),
    },
  },
  "rule-test-collection": {
    severity: "error",
    summary: "It is not clear which collection a rule test is about.",
    message: "{problem}",
    explanation:
      "A file in a collection's `_tests` is about that collection. In the `_tests` of a realm every document and every test has `collection: <database>/<collection>`.",
    wrong: {
      ...rules,
      [ofRealm]: tests("read: { allow: { ada: '*' } }", callers),
    },
    right: {
      ...rules,
      [ofRealm]: tests(
        "collection: support/tickets\n    read: { allow: { ada: [open] } }",
        callers,
        "documents: { open: { collection: support/tickets } }",
      ),
    },
  },
  "rule-test-caller": {
    severity: "error",
    summary: "A caller of rule tests is two things at once.",
    message: "this caller cannot be: {problem}",
    explanation:
      "A caller is a user, or an API key, which bypasses the rules within its scopes. A key that acts on behalf of a user names them: `{ key: {}, on_behalf_of: ada }`.",
    wrong: {
      ...rules,
      [file]: tests(
        "read: { allow: { robot: [open] } }",
        "callers: { robot: { key: {}, roles: [editor] } }",
        documents,
      ),
    },
    right: {
      ...rules,
      [file]: tests(
        "read: { allow: { robot: [open] } }",
        "callers: { ada: { roles: [editor] }, robot: { key: {}, on_behalf_of: ada } }",
        documents,
      ),
    },
  },
  "rule-test-without-auth": {
    severity: "error",
    summary: "Rule tests in a realm without authentication.",
    message: "the realm '{realm}' has auth: disabled, and so no rules to test",
    hint: "remove the file",
    explanation: "In such a realm everything is allowed to everybody.",
    wrong: {
      "realm.yaml": "auth: disabled",
      [file]: tests("read: { allow: { ada: [open] } }", callers, documents),
    },
    right: { ...rules, [file]: tests("read: { allow: { ada: [open] } }", callers, documents) },
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;
