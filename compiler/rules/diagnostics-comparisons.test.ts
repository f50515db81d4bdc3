import { describe } from "vitest";
import { golden } from "./testing/diagnostics.ts";

describe("comparisons", () => {
  golden("update", [
    [
      "⟦document.status == 'opne'⟧",
      "rule-comparison this comparison always has the same outcome: 'closed' | 'open' and 'opne' have no overlap (did you mean 'open'?)",
    ],
    [
      "⟦document.count == 'a'⟧",
      "rule-comparison this comparison always has the same outcome: number and string have no overlap",
    ],
    ["⟦document.count < 'a'⟧", "rule-comparison < cannot compare a number with a string"],
    ["document.count < ⟦null⟧", "rule-comparison only == and != compare with null"],
    ["⟦document.public < document.shared⟧", "rule-comparison true and false have no order"],
    ["⟦document.mixed < 5⟧", "rule-comparison < cannot compare a string or a number with a number"],
    [
      "⟦document.tags⟧ == data.tags",
      "rule-comparison lists cannot be compared (use .includes(x) or .length)",
    ],
    [
      "⟦document.address⟧ == data.address",
      "rule-comparison objects cannot be compared (compare their members)",
    ],
    [
      "document._meta.owner == ⟦user⟧",
      "rule-comparison user alone can only be compared with null (compare user.id)",
    ],
    ["⟦document⟧ == data", "rule-comparison objects cannot be compared (compare their members)"],
    ["⟦document == null⟧", "rule-comparison document is always there"],
    ["⟦document._meta != null⟧", "rule-comparison document._meta is always there"],
    [
      "⟦document.either⟧ == 'a'",
      "rule-comparison this value may be a list; it can only be compared with null",
    ],
    ["⟦document.due_at == document.title⟧", "rule-comparison a date never equals a string"],
    ["⟦document.title < now⟧", "rule-comparison a string has no order with a date"],
    [
      "document.due_at < ⟦'31.1.2026'⟧",
      "rule-date '31.1.2026' is not a date (write '2026-01-31' or '2026-01-31T10:00:00Z', or use now, ago('7d') or ahead('1h'))",
    ],
    [
      "document.day == ⟦'2026-02-30'⟧",
      "rule-date '2026-02-30' is not a date (write '2026-01-31' or '2026-01-31T10:00:00Z', or use now, ago('7d') or ahead('1h'))",
    ],
    [
      "['open', ⟦'clsed'⟧].includes(document.status)",
      "rule-comparison 'clsed' is never a value here (did you mean 'closed'?)",
    ],
    ["document.tags.includes(⟦null⟧)", "rule-comparison no element of a list is null"],
    ["document.tags.includes(⟦5⟧)", "rule-type a number is given where a string is wanted"],
    [
      "⟦document.lines.includes(document.title)⟧",
      "rule-comparison a list of an object never includes a string",
    ],
    ["⟦document.either⟧.includes('a')", "rule-type includes() is not for what may be a string or a list"],
    ["⟦document.due_at⟧.startsWith('2026')", "rule-type startsWith() is not for a date"],
    ["document.title.startsWith(⟦document.due_at⟧)", "rule-type startsWith() takes a string, not a date"],
    ["document.title.⟦includes⟧()", "rule-type expected 1 arguments, but got 0"],
    [
      "document.title == 'a' && ⟦document.title == 'b'⟧",
      "rule-comparison this comparison always has the same outcome: 'a' and 'b' have no overlap",
    ],
    [
      "document.status != 'open' && document.status != 'closed' && ⟦document.status⟧.includes('x')",
      "rule-comparison document.status can have no value here: what stands before excludes them all",
    ],
  ]);
});

describe("what stands before a comparison", () => {
  const disjoint = (a: string, b: string, hint = "") =>
    `rule-comparison this comparison always has the same outcome: ${a} and ${b} have no overlap${hint}`;
  golden("update", [
    ["(document.title == 'a' || document.title == 'b') && document.title == 'b'"],
    [
      "(document.title == 'a' || document.title == 'b') && ⟦document.title == 'xyz'⟧",
      disjoint("'a' | 'b'", "'xyz'", " (its values are 'a' or 'b')"),
    ],
    ["document.status != 'open' && ⟦document.status == 'open'⟧", disjoint("'closed'", "'open'")],
    ["document.status == 'open' || ⟦document.status == 'open'⟧", disjoint("'closed'", "'open'")],
    ["!(document.status == 'open') && ⟦document.status == 'open'⟧", disjoint("'closed'", "'open'")],
    ["document.status == 'open' ? true : ⟦document.status != 'open'⟧", disjoint("'closed'", "'open'")],
    ["document.public && ⟦document.public == false⟧", disjoint("true", "false")],
    ["(document.title == 'a') == true && ⟦document.title == 'b'⟧", disjoint("'a'", "'b'")],
    ["document.title.length == 1 && ⟦document.title.length == 2⟧", disjoint("1", "2")],
    [
      "document.title == document.status && ⟦document.title == 'a'⟧",
      disjoint("'closed' | 'open'", "'a'", " (its values are 'closed' or 'open')"),
    ],
    ["document.mixed == 5 && document.mixed < 6"],
    ["document.mixed == document.title && ⟦document.mixed == 5⟧", disjoint("string", "number")],
    ["⟦(document.public ? 'a' : 'b') == document.status⟧", disjoint("'a' | 'b'", "'closed' | 'open'")],
    ["now == '2026-01-01' && ⟦now == '2026-01-02'⟧", disjoint("'2026-01-01'", "'2026-01-02'")],
    ["document.title == 'a' && data.title == 'b'"],
    ["document.title == 'a' || document.title == 'b'"],
    ["(document.status == 'open' ? document.public : document.shared) && document.status == 'closed'"],
  ]);
});

describe("helpers", () => {
  golden("update", [
    ["hasRole('editor', ⟦5⟧)", "rule-type a number is given where a string is wanted"],
    ["hasRole(⟦document.address⟧)", "rule-type an object is given where a string is wanted"],
    ["hasRole(⟦document.mixed⟧)", "rule-type a string or a number is given where a string is wanted"],
    ["document.title.includes(⟦document.tags⟧)", "rule-type a list is given where a string is wanted"],
    [
      "['a', 1].includes(⟦document.public⟧)",
      "rule-type a boolean is given where a string or a number is wanted",
    ],
    ["document.title.includes('a', ⟦'b', 'c'⟧)", "rule-type expected 1 arguments, but got 3"],
    ["document.due_at < ago('7d', ⟦'8d'⟧)", "rule-type expected 1 arguments, but got 2"],
    [
      "⟦document.address⟧.⟦includes⟧('a')",
      "rule-unknown-field Property 'includes' does not exist on document.address",
      "rule-type includes() is not for an object",
    ],
    [
      "⟦document.tags⟧.⟦startsWith⟧('a')",
      "rule-unknown-field Property 'startsWith' does not exist on document.tags (a list)",
      "rule-type startsWith() is not for a list",
    ],
    ["⟦null⟧.length == 3", "rule-comparison only == and != compare with null"],
  ]);
  golden("read", [
    [
      "hasRole(⟦'edtor'⟧)",
      "rule-unknown-role there is no role 'edtor' in realm.yaml (did you mean 'editor'?)",
    ],
    [
      "hasRole('editor', ⟦'zzz'⟧)",
      "rule-unknown-role there is no role 'zzz' in realm.yaml (roles are 'admin' or 'editor')",
    ],
    [
      "hasRole(user.mfa ? 'editor' : ⟦'zzz'⟧)",
      "rule-unknown-role there is no role 'zzz' in realm.yaml (roles are 'admin' or 'editor')",
    ],
    [
      "user.roles.includes(⟦'edtor'⟧)",
      "rule-unknown-role there is no role 'edtor' in realm.yaml (did you mean 'editor'?)",
    ],
    [
      "⟦!document.title == 'a'⟧",
      "rule-comparison this comparison always has the same outcome: boolean and string have no overlap (! belongs to what stands right behind it; write a != b, or !(a == b))",
    ],
    ["hasRole(⟦5⟧)", "rule-type a number is given where a string is wanted"],
    ["hasRole(⟦null⟧)", "rule-type hasRole() takes names of roles, not null"],
    ["⟦hasRole⟧()", "rule-type expected at least 1 arguments, but got 0"],
    [
      "document.due_at < ago(⟦'1 week'⟧)",
      "rule-duration ago() takes a duration in quotes, not '1 week' (write a whole number and s, m, h or d: '30s', '15m', '8h', '7d')",
    ],
    [
      "document.due_at < ahead(⟦document.title⟧)",
      "rule-duration ahead() takes a duration in quotes, not document.title (write a whole number and s, m, h or d: '30s', '15m', '8h', '7d')",
    ],
    [
      "document.due_at < ago(⟦'99999999999d'⟧)",
      "rule-duration ago() takes a duration in quotes, not '99999999999d' (it is too long; the longest is '3650000d', 10,000 years)",
    ],
  ]);
});
