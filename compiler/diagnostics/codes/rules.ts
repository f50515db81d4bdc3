/** The diagnostics of rule expressions, merged into the catalogue. */
import type { CatalogueEntry } from "../entry.ts";

export const ruleCodes = {
  "rule-syntax": {
    severity: "error",
    summary: "The text of a rule is not one complete expression.",
    message: "the rule is not a complete expression: {problem}",
    explanation:
      "A rule is one TypeScript expression. The position is where the parser could not go on; what is missing often stands just before it.",
    wrong: { "collection.yaml": "rules:\n  read: document.public ||" },
    right: { "collection.yaml": "rules:\n  read: document.public || hasRole('editor')" },
  },
  "rule-too-large": {
    severity: "error",
    summary: "A rule is longer or nested deeper than the compiler accepts.",
    message: "the rule is too large: {problem}",
    hint: "split the decision, for example by a field that says who may see the document",
    explanation:
      "A rule has at most 4,000 characters and 300 levels of nesting. Nobody could review a larger one.",
    wrong: { words: "a read rule of 5,000 characters" },
    right: { words: "a read rule of 100 characters" },
  },
  "rule-construct": {
    severity: "error",
    summary: "A rule uses something of TypeScript that is not part of the rule language.",
    message: "{construct} is not part of the rule language",
    explanation:
      "Rules are compiled to a check and to a database filter, so they are a small subset of TypeScript: literals, lists of literals, `&& || !`, `?:`, `== === != !==`, `< <= > >=`, parentheses, member access and `?.`, `.includes(x)`, `.startsWith(x)`, `.endsWith(x)`, `.length`, and the helpers.",
    wrong: { "collection.yaml": "rules:\n  read: document.title.toLowerCase() == 'news'" },
    right: { "collection.yaml": "rules:\n  read: document.title == 'news'" },
  },
  "rule-unknown-name": {
    severity: "error",
    summary: "A rule uses a name that rules do not know.",
    message: "'{name}' is not a name that rules know",
    explanation:
      "A rule sees `document`, `data`, `user`, `now`, `appConfig` and the helpers `hasRole`, `ago` and `ahead`, in realms with organizations also `inOrg`, `hasOrgRole`, `inTeam`, `hasTeamRole` and `orgClaims`. Rules of triggers also see `previous`. Fields are read through `document` or `data`.",
    wrong: { "collection.yaml": "rules:\n  read: public" },
    right: { "collection.yaml": "rules:\n  read: document.public" },
  },
  "rule-unavailable-name": {
    severity: "error",
    summary: "A rule uses `document` or `data` where there is none.",
    message: "'{name}' is not available in a {rule} rule",
    explanation:
      "`document` is the stored document: there is none when one is created. `data` is what is being written: there is none when nothing is. A rule under `write` serves create, update and delete, so it can use neither. Rules of functions see what the function is called with as `data`; those of triggers `document` and `previous`, and no caller.",
    wrong: { "collection.yaml": "rules:\n  create: document.owner_id == user.id" },
    right: { "collection.yaml": "rules:\n  create: data.owner_id == user.id" },
  },
  "rule-unknown-field": {
    severity: "error",
    summary: "A rule reads a field that is not declared.",
    message: "Property '{name}' does not exist on {owner}",
    explanation:
      "Rules are type-checked against the declared fields of `schema.json`, the profile schema and the value of `app_config`. A misspelt field would be absent in every document and the rule would silently deny, or allow.",
    wrong: { "collection.yaml": "rules:\n  read: document.titel == 'news'" },
    right: { "collection.yaml": "rules:\n  read: document.title == 'news'" },
  },
  "rule-not-boolean": {
    severity: "error",
    summary: "A rule, an operand of `&& || !` or a condition of `?:` is not boolean.",
    message: "{part} must be true or false, but this is {type}",
    explanation:
      "There is no truthiness in rules: an empty text, zero and an empty list are ordinary values. Say what is meant by a comparison.",
    wrong: { "collection.yaml": "rules:\n  read: user != null && document.title" },
    right: { "collection.yaml": "rules:\n  read: user != null && document.title != null" },
  },
  "rule-comparison": {
    severity: "error",
    summary: "A comparison that cannot be made, or that always has the same outcome.",
    message: "{problem}",
    explanation:
      "Texts, numbers, booleans and dates compare with their own kind. Lists and objects cannot be compared (with `null` they can). `user` alone can only be compared with `null`; compare `user.id`.",
    wrong: { "collection.yaml": "rules:\n  read: document.owner_id == user" },
    right: { "collection.yaml": "rules:\n  read: document.owner_id == user.id" },
  },
  "rule-type": {
    severity: "error",
    summary: "A value of the wrong type in a rule.",
    message: "{problem}",
    explanation:
      "The type checker refuses the expression; the message says what was expected and what was found.",
    wrong: { "collection.yaml": "rules:\n  read: document.title.includes(5)" },
    right: { "collection.yaml": "rules:\n  read: document.title.includes('5')" },
  },
  "rule-date": {
    severity: "error",
    summary: "A date is compared with a text that is not a date.",
    message: "{value} is not a date",
    hint: "write '2026-01-31' or '2026-01-31T10:00:00Z', or use now, ago('7d') or ahead('1h')",
    explanation:
      "Dates compare as dates, so a literal beside one must be a date or a date with time and offset (RFC 3339).",
    wrong: { "collection.yaml": "rules:\n  read: document.due_at < '31.1.2026'" },
    right: { "collection.yaml": "rules:\n  read: document.due_at < '2026-01-31'" },
  },
  "rule-duration": {
    severity: "error",
    summary: "The argument of `ago` or `ahead` is not a duration.",
    message: "{helper}() takes a duration in quotes, not {value}",
    hint: "write a whole number and s, m, h or d: '30s', '15m', '8h', '7d'",
    explanation: "`ago('7d')` is the moment seven days before the request, `ahead('1h')` one hour after it.",
    wrong: { "collection.yaml": "rules:\n  read: document._meta.created_at > ago('1 week')" },
    right: { "collection.yaml": "rules:\n  read: document._meta.created_at > ago('7d')" },
  },
  "rule-unknown-role": {
    severity: "error",
    summary: "A rule names a role that `realm.yaml` does not declare.",
    message: "there is no {kind} '{role}' in realm.yaml",
    explanation: "Nobody could hold the role, so the rule would never hold.",
    wrong: { "collection.yaml": "rules:\n  read: true\n  delete: hasRole('edtor')" },
    right: { "collection.yaml": "rules:\n  read: true\n  delete: hasRole('editor')" },
  },
  "rule-no-organizations": {
    severity: "error",
    summary: "A rule asks for organizations or teams in a realm that has none.",
    message: "{name} needs organizations, and realm.yaml declares none",
    hint: "declare organizations with their roles in realm.yaml",
    explanation:
      "`inOrg`, `hasOrgRole`, `inTeam`, `hasTeamRole` and `orgClaims` are there in realms with `organizations`. In others nobody could be a member of anything, and the rule would silently deny, or allow.",
    wrong: { "realm.yaml": "auth: enabled", "collection.yaml": "rules:\n  read: inOrg(document.owner_id)" },
    right: { "collection.yaml": "rules:\n  read: document.owner_id == user.id" },
  },
  "rule-not-filterable": {
    severity: "error",
    summary: "Part of a read or restore rule cannot be expressed as a filter.",
    message: "a {rule} rule also filters lists, and this part cannot be a filter: {problem}",
    explanation:
      "The store evaluates read and restore rules inside its query, one field against one value known beforehand. Two fields of a document cannot be compared with each other there, nor can the length of a document's value. Store the outcome in a field of its own, for example when the document is written.",
    wrong: { "collection.yaml": "rules:\n  read: document.author_id == document.editor_id" },
    right: { "collection.yaml": "rules:\n  read: document.self_edited" },
  },
  "rule-absent-negation": {
    severity: "warning",
    summary: "Anonymous callers satisfy a rule only because a value of `user` is absent under `!=` or `!`.",
    message: "anonymous callers satisfy this rule only because {value} is absent for them here",
    hint: "add `user != null &&` before it, or `user == null ||` if anonymous callers are meant",
    explanation:
      "For anonymous callers every `user.*` is absent, a comparison with it is false, and so its negation is true. That is rarely meant.",
    wrong: { "collection.yaml": "rules:\n  read: document.author_id != user.id" },
    right: { "collection.yaml": "rules:\n  read: user != null && document.author_id != user.id" },
  },
  "rule-constant": {
    severity: "warning",
    summary: "A rule that always has the same outcome, without being written `true` or `false`.",
    message: "this rule is always {outcome}, whoever asks for whatever document",
    hint: "write {outcome} if that is meant",
    explanation:
      "The comparisons contradict each other, or one of two opposites always holds: `user == null || user != null`, `document.salary > 5 && document.salary < 3`. Somebody meant something else.",
    wrong: { "collection.yaml": "rules:\n  read: document.public || document.public != true" },
    right: { "collection.yaml": "rules:\n  read: document.public || document.title == 'a'" },
  },
  "rule-clause": {
    severity: "warning",
    summary: "Part of a rule that makes no difference.",
    message: "{problem}",
    explanation:
      "The rule means the same without this part: it says again what stands beside it, follows from it, or always has the same outcome, be it by what `schema.json` allows; or it only counts where something holds beside which it never does, as in the branches of `?:`. It may be a slip, such as `||` for `&&`. That something is there (`user != null`) may be said beside what needs it.",
    wrong: {
      "collection.yaml":
        "rules:\n  read: hasRole('editor', 'hr')\n  delete: hasRole('hr') || hasRole('hr', 'editor')",
    },
    right: { "collection.yaml": "rules:\n  read: hasRole('editor', 'hr')\n  delete: hasRole('hr')" },
  },
  "rule-outside-schema": {
    severity: "warning",
    summary: "A rule that nothing which fits the schema satisfies.",
    message: "nothing that the schema allows satisfies this rule{because}",
    hint: "write false if nobody is meant",
    explanation:
      "Whatever is stored or written fits the schema, and nothing that does satisfies the comparisons of this rule: a text that no value of the `enum` begins with, a number beyond its `maximum`, a length that nothing has. By a create rule like that nothing can be created.",
    wrong: {
      "collection.yaml": "rules:\n  read: true\n  create: data.status.startsWith('re')",
      "schema.json": '{ "type": "object", "properties": { "status": { "enum": ["open", "closed"] } } }',
    },
    right: {
      "collection.yaml": "rules:\n  read: true\n  create: data.status.startsWith('op')",
      "schema.json": '{ "type": "object", "properties": { "status": { "enum": ["open", "closed"] } } }',
    },
  },
  "rule-id-kind": {
    severity: "warning",
    summary: "An id of one kind stands where one of another is asked for.",
    message: "{found} stands where {wanted} is expected",
    explanation:
      "Users, organizations and teams have ids of their own. `inOrg(user.id)` asks for an organization whose id is that of the user: there is none, and the rule silently never holds.",
    wrong: { "collection.yaml": "rules:\n  read: inOrg(user.id)" },
    right: { "collection.yaml": "rules:\n  read: inOrg(document.owner_id)" },
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;
