import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eq } from "../../filter/algebra.ts";
import { field, ownershipFields } from "../../filter/fields.ts";
import { isJsonObject } from "../../json.ts";
import type { FieldReadRule, ReadRule } from "../../realm/rule.ts";
import { allowed, byCaller, denied } from "../../rules/index.ts";
import { code, type Shop, startShop } from "../testing/shop.ts";
import {
  at,
  costs,
  create,
  declared,
  expandedOf,
  items,
  reference,
  uniqueIndex,
} from "./testing/collections.ts";

const isHr = byCaller(({ user }) => user?.email === "hr@example.com");
const own: ReadRule & FieldReadRule = {
  filter: ({ user }) => eq(ownershipFields["_meta.owner"], user?.id),
  check: ({ user }, document) =>
    user !== undefined && isJsonObject(document["_meta"]) && document["_meta"]["owner"] === user.id,
};
const open = { create: allowed, read: allowed, update: allowed, delete: allowed };

/** Everybody sees their own. */
const profiles = declared(
  "profiles",
  {
    user_id: field("user_id", "string"),
    email: field("email", "string"),
    salary: field("salary", "integer"),
    title: field("title", "string"),
    boss_user: field("boss_user", "string"),
  },
  {
    indexes: [uniqueIndex("user_id"), uniqueIndex("email")],
    rules: { ...open, read: own },
  },
);
/** Everybody sees all; but of the fields `salary` and `email` only HR, and `boss_user` only one's own. */
const staff = declared("staff", profiles.fields, {
  indexes: [uniqueIndex("user_id"), uniqueIndex("email")],
  rules: open,
  fieldRules: [
    { path: ["salary"], read: isHr },
    { path: ["email"], read: isHr },
    { path: ["boss_user"], read: own },
  ],
  references: { boss: reference("staff", "boss_user", { key: "user_id" }) },
});
const closed = declared("closed", {}, { rules: { ...open, read: denied } });
const undeclared = declared("undeclared", {}, { rules: { create: allowed } });

const notes = declared(
  "notes",
  { profile_id: field("profile_id", "string"), secret: field("secret", "object") },
  {
    rules: open,
    publicMaxAge: 60,
    fieldRules: [
      { path: ["secret"], read: isHr },
      { path: ["mine_id"], read: own },
    ],
    references: {
      profile: reference("profiles", "profile_id"),
      profiles: reference("profiles", "profile_ids", { many: true }),
      closed: reference("closed", "closed_id"),
      closeds: reference("closed", "closed_ids", { many: true }),
      undeclared: reference("undeclared", "undeclared_id"),
      owner: reference("staff", "_meta.owner", { key: "user_id" }),
      staff: reference("staff", "staff_id"),
      by_email: reference("staff", "staff_email", { key: "email" }),
      by_emails: reference("staff", "staff_emails", { key: "email", many: true }),
      secret: reference("staff", "secret.staff_id"),
      secrets: reference("staff", "secret.staff_ids", { many: true }),
      mine: reference("staff", "mine_id"),
    },
  },
);

let shop: Shop;
let ann: { readonly token: string; readonly id: string };
let hr: { readonly token: string; readonly id: string };
let annsProfile: string;
let hrsProfile: string;
let annOnStaff: string;
let note: string;
beforeAll(async () => {
  shop = await startShop("enabled", [profiles, staff, closed, undeclared, notes]);
  ann = await shop.signUp("ann@example.com");
  hr = await shop.signUp("hr@example.com");
  annsProfile = await create(shop, "profiles", { user_id: ann.id }, ann.token);
  hrsProfile = await create(shop, "profiles", { user_id: hr.id }, hr.token);
  annOnStaff = await create(
    shop,
    "staff",
    { user_id: ann.id, email: "ann@example.com", salary: 7, boss_user: hr.id, title: "Dr" },
    ann.token,
  );
  const [closedId, undeclaredId] = [await create(shop, "closed", {}), await create(shop, "undeclared", {})];
  note = await create(
    shop,
    "notes",
    {
      profile_id: hrsProfile,
      profile_ids: [annsProfile, hrsProfile, "nothing"],
      closed_id: closedId,
      closed_ids: [closedId, "nothing", 7],
      undeclared_id: undeclaredId,
      staff_id: annOnStaff,
      staff_email: "ann@example.com",
      staff_emails: ["ann@example.com", "bob@example.com"],
      secret: { staff_id: annOnStaff, staff_ids: [annOnStaff, "nothing"] },
      mine_id: annOnStaff,
    },
    ann.token,
  );
});
afterAll(() => shop.stop());

const get = (expand: string, token?: string, path = `notes/${note}`) =>
  shop.send("GET", `${path}?expand=${expand}`, token === undefined ? {} : { token });

describe("Reference expansion 4: only what the caller could read directly", () => {
  test("Reference expansion 4: the target's read rule is applied as a filter, for each caller", async () => {
    const seen = async (token?: string) => expandedOf((await get("profile(id),profiles(id)", token)).body);
    const [a, h] = [{ id: annsProfile }, { id: hrsProfile }];
    expect(await seen(ann.token)).toEqual({ profile: null, profiles: [a, null, null] });
    expect(await seen(hr.token)).toEqual({ profile: h, profiles: [null, h, null] });
    expect(await seen()).toEqual({ profile: null, profiles: [null, null, null] });
  });

  test("Reference expansion 4: a caller who can read nothing of the target asks nothing and sees nulls", async () => {
    const answer = await get("closed,closeds,undeclared", ann.token);
    expect(answer.status).toBe(200);
    expect(expandedOf(answer.body)).toEqual({ closed: null, closeds: [null, null, null], undeclared: null });
    expect(costs(answer)).toEqual(["0", "0"]);
  });

  test("Reference expansion 4: unreadable and missing targets answer the same bytes, whatever they hold", async () => {
    const body = { profile_id: hrsProfile, profile_ids: [hrsProfile, annsProfile], closed_id: "x" };
    const one = await create(shop, "notes", body, ann.token);
    const query = "profile,profiles(user_id),closed";
    const before = await get(query, ann.token, `notes/${one}`);
    await shop.send("DELETE", `profiles/${hrsProfile}`, { token: hr.token });
    const after = await get(query, ann.token, `notes/${one}`);
    expect(after.text).toBe(before.text);
    expect([...after.headers].filter(([name]) => !["date", "x-request-id"].includes(name))).toEqual(
      [...before.headers].filter(([name]) => !["date", "x-request-id"].includes(name)),
    );
    hrsProfile = await create(shop, "profiles", { user_id: hr.id }, hr.token);
    await shop.send("PATCH", `notes/${note}`, {
      body: { profile_id: hrsProfile, profile_ids: [annsProfile, hrsProfile, "nothing"] },
      token: ann.token,
    });
    await shop.send("DELETE", `notes/${one}`, { token: ann.token });
  });

  test("Reference expansion 4: API keys need the scope to read the target, and see all of it", async () => {
    const whole = await shop.key({ name: "whole" });
    const notesOnly = await shop.key({ name: "notes", scopes: { read: ["main/notes"] } });
    const both = await shop.key({ name: "both", scopes: { read: ["main/notes", "main/staff"], write: "*" } });
    const seen = async (token: string) => {
      const answer = await get("profile(id),staff(salary),closed(id),by_email(id),secret(id)", token);
      return [...costs(answer), ...Object.values(expandedOf(answer.body)).map((value) => value !== null)];
    };
    expect(await seen(whole)).toEqual(["5", "5", true, true, true, true, true]);
    expect(await seen(notesOnly)).toEqual(["0", "0", false, false, false, false, false]);
    expect(await seen(both)).toEqual(["3", "3", false, true, false, true, true]);
    const staffOnly = await shop.key({ name: "staff", scopes: { read: ["main/staff"] } });
    expect((await get("staff", staffOnly)).status).toBe(403);
  });

  test("Reference expansion 4: what a caller may not see of a target is left out, also where it is selected", async () => {
    const seen = async (expand: string, token?: string) =>
      expandedOf((await get(expand, token)).body)["staff"];
    expect(await seen("staff(salary,email,title)", hr.token)).toMatchObject({
      salary: 7,
      email: "ann@example.com",
    });
    expect(await seen("staff(salary,email)", ann.token)).toEqual({ id: annOnStaff });
    expect(await seen("staff(boss_user)", ann.token)).toEqual({ id: annOnStaff, boss_user: hr.id });
    expect(await seen("staff(boss_user)")).toEqual({ id: annOnStaff });
    const direct = await shop.send("GET", `staff/${annOnStaff}`, { token: ann.token });
    expect(await seen("staff", ann.token)).toEqual(direct.body);
    expect(direct.body).not.toHaveProperty("salary");
  });

  test("Reference expansion 4: a source field that is hidden, or not certainly shown, expands as null", async () => {
    expect(expandedOf((await get("secret(id),secrets(id)", hr.token)).body)).toEqual({
      secret: { id: annOnStaff },
      secrets: [{ id: annOnStaff }, null],
    });
    const hidden = await get("secret(id),secrets(id),mine(id)", ann.token);
    expect(expandedOf(hidden.body)).toEqual({ secret: null, secrets: null, mine: null });
    expect(costs(hidden)).toEqual(["0", "0"]);
    // Ann sees the field in this document, yet not in every one.
    expect(hidden.body["mine_id"]).toBe(annOnStaff);
  });

  test("Reference expansion 4: a hidden key of the target expands as null, so that nothing can be probed", async () => {
    expect(expandedOf((await get("by_email(id),by_emails(id)", hr.token)).body)).toEqual({
      by_email: { id: annOnStaff },
      by_emails: [{ id: annOnStaff }, null],
    });
    const probed = await get("by_email(id),by_emails(id)", ann.token);
    expect(expandedOf(probed.body)).toEqual({ by_email: null, by_emails: null });
    expect(costs(probed)).toEqual(["0", "0"]);
  });

  test("Reference expansion 4: the second level is judged alike", async () => {
    const { body } = await get("staff.boss", ann.token);
    expect(at(expandedOf(body), "staff", "_expanded")).toEqual({ boss: null });
    const key = await shop.key({ name: "second" });
    const hrOnStaff = await create(shop, "staff", { user_id: hr.id }, hr.token);
    const all = await get("staff.boss(user_id)", key);
    expect(at(expandedOf(all.body), "staff", "_expanded")).toEqual({
      boss: { id: hrOnStaff, user_id: hr.id },
    });
    expect(costs(all)).toEqual(["2", "2"]);
  });
});

describe("References: _meta.owner as source", () => {
  test("References: it leads to the user's own document, by a key that holds the user's id", async () => {
    const list = await shop.send("GET", "notes?expand=owner(title)", { token: ann.token });
    expect(items(list).map(({ _expanded }) => _expanded)).toEqual([
      { owner: { id: annOnStaff, title: "Dr" } },
    ]);
  });

  test("References: the owner of what nobody owns is null", async () => {
    const anonymous = await create(shop, "notes", {});
    const answer = await get("owner", undefined, `notes/${anonymous}`);
    expect(expandedOf(answer.body)).toEqual({ owner: null });
    expect(costs(answer)).toEqual(["0", "0"]);
    await shop.send("DELETE", `notes/${anonymous}`);
  });
});

describe("Reference expansion 7 in a public collection", () => {
  test("Reference expansion 7: expanded reads are never public, also for anonymous callers", async () => {
    expect((await shop.send("GET", `notes/${note}`)).headers.get("cache-control")).toBe("public, max-age=60");
    expect((await get("staff")).headers.get("cache-control")).toBe("private, no-cache");
    const list = await shop.send("GET", "notes?expand=staff");
    expect(list.headers.get("cache-control")).toBe("private, no-cache");
  });

  test("Fine points: expanded reads carry the plain version tag, which guards writes", async () => {
    const plain = await shop.send("GET", `notes/${note}`, { token: ann.token });
    expect(plain.tag).toMatch(/^"\d+\.r[0-9a-f]{8}"$/);
    const expanded = await get("staff", ann.token);
    expect(expanded.tag).toMatch(/^"\d+"$/);
    const written = await shop.send("PATCH", `notes/${note}`, {
      body: {},
      token: ann.token,
      headers: { "if-match": expanded.tag ?? "" },
    });
    expect(written.status).toBe(200);
  });

  test("Reference expansion 4: the document itself is judged first", async () => {
    for (const path of ["closed", `closed/${note}`]) {
      const refused = await get("x", undefined, path);
      expect([refused.status, code(refused)]).toEqual([401, "unauthenticated"]);
    }
    const invalid = await get("x", ann.token, `profiles/${hrsProfile}`);
    expect([invalid.status, code(invalid)]).toEqual([400, "invalid_expand"]);
  });
});
