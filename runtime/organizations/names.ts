import type { BodyReader } from "../auth/input.ts";
import { slugLength } from "../contract/checks.ts";
import { codePointLength } from "../validation/text.ts";

const slug = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** The required member `name`: 1 to 200 characters on one line, without the spaces around it. */
export function readName(body: BodyReader): string {
  const name = body.string("name").trim();
  if (name === "" || codePointLength(name) > 200) body.problem("name", "must have 1 to 200 characters");
  // It stands in subjects of mails, among others.
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)) body.problem("name", "must not contain control characters");
  return name;
}

/** The optional member `slug` (spec: Organization). */
export function readSlug(body: BodyReader): string | undefined {
  if (body.value("slug") === undefined) return undefined;
  const value = body.string("slug");
  if (value.length > slugLength || !slug.test(value)) {
    body.problem(
      "slug",
      `must be lower-case letters and digits, separated by single -, at most ${slugLength} characters`,
    );
  }
  return value;
}
