import { describe, expect, test } from "vitest";
import { signUp } from "../contract/accounts.ts";
import { createOrganizationInvitation } from "../contract/organization-invitations.ts";
import { createTeam, giveTeamRole } from "../contract/teams.ts";
import type { RealmTraits } from "../contract/traits.ts";
import { ApiError } from "../errors.ts";
import type { JsonValue } from "../json.ts";
import type { Received } from "../realm/exchange.ts";
import { bodyReader, type Judge } from "./contract-body.ts";

const traits: RealmTraits = {
  auth: true,
  signup: "open",
  totp: false,
  tokens: false,
  sessions: {},
  roles: [],
  openapi: "off",
  organizations: {
    roles: [{ name: "agent" }, { name: "owner" }],
    teamRoles: [{ name: "lead" }],
    membersVisibleTo: "nobody",
    membersShow: [],
    allowRequireMfa: false,
    keys: false,
    invitationsSignUp: true,
  },
};

function received(body: JsonValue, type = "application/json"): Received {
  const nobody = () => Promise.reject(new Error("not asked for"));
  return {
    method: "POST",
    params: {},
    search: "",
    headers: { "content-type": type },
    requestId: "1",
    address: "127.0.0.1",
    abandoned: false,
    inPieces: false,
    body: Buffer.from(JSON.stringify(body)),
    reserve() {},
    receive: nobody,
  };
}

function told(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof ApiError) return error.details.map(({ path, reason }) => `${path}: ${reason}`);
    throw error;
  }
  return [];
}

describe("bodies by contract", () => {
  const team = (body: JsonValue) => bodyReader(createTeam, traits)(received(body));

  test("are typed, without spaces around names, each role once", () => {
    expect(team({ name: " Nord ", roles: ["agent", "agent", "owner"] })()).toEqual({
      name: "Nord",
      roles: ["agent", "owner"],
    });
  });

  test("everything that is wrong is told at once: members in the contract's order, then unknown ones", () => {
    expect(told(team({ more: 1, roles: ["agent", "king"], "a.b": 2 }))).toEqual([
      "a.b: member names must not start with $ or contain a dot",
      "name: is required",
      "roles.1: is no role of organizations in this realm",
      "more: unknown member",
    ]);
  });

  test("one reason a member: its type, else what its check says first", () => {
    expect(told(team({ name: null, roles: null }))).toEqual([
      "name: must be a string",
      "roles: must be an array of strings",
    ]);
    expect(told(team({ name: "direct", roles: [1, "king"] }))).toEqual([
      "name: must not be direct or default",
      "roles: must be an array of strings",
    ]);
    expect(told(team({ name: "\u0007" }))).toEqual(["name: must not contain control characters"]);
  });

  test("names on Object.prototype are members like others", () => {
    expect(told(team(JSON.parse('{"name":"x","constructor":1,"__proto__":2}')))).toEqual([
      "constructor: unknown member",
      "__proto__: unknown member",
    ]);
  });

  test("at most a hundred mistakes are named, however many there are", () => {
    const roles = Array.from({ length: 5_000 }, (_, at) => `king ${at}`);
    expect(told(team({ name: "x", roles }))).toHaveLength(100);
  });

  test("times are stored in one form; null stays null", () => {
    const read = bodyReader(giveTeamRole, traits);
    const body = { user: "u", role: "lead", from: "2030-01-31T01:00:00+01:00", until: null };
    expect(read(received(body))()).toEqual({ ...body, from: "2030-01-31T00:00:00.000Z" });
    expect(told(read(received({ ...body, from: "soon", until: 1 })))).toEqual([
      "from: must be an RFC 3339 time such as 2030-01-31T00:00:00Z",
      "until: must be a string or null",
    ]);
  });

  test("who reads one judges further what fits, and tells it with the rest", () => {
    const read = bodyReader(createOrganizationInvitation, traits);
    const seen: unknown[] = [];
    const judge: Judge<ReturnType<ReturnType<typeof read>>> = (given, tell) => {
      seen.push(given);
      tell("email", "is not one of ours");
      tell("max_uses", "is told already");
    };
    const body = { email: "a@example.com", max_uses: 0, send: "yes", other: 1 };
    expect(told(() => read(received(body))(judge))).toEqual([
      "max_uses: must be an integer from 1 to 10000",
      "send: must be true or false",
      "email: is not one of ours",
      "other: unknown member",
    ]);
    expect(seen).toEqual([{ email: "a@example.com" }]);
  });

  test("profiles are judged by the realm, and told in the place of their member", () => {
    const read = bodyReader(signUp, traits, (profile, path) =>
      "name" in profile ? [] : [{ path: `${path}.name`, reason: "is required" }],
    );
    const account = { email: "a@example.com", password: "correct horse" };
    expect(read(received({ ...account, locale: "de-ch", profile: { name: "A" } }))()).toEqual({
      ...account,
      locale: "de-CH",
      profile: { name: "A" },
    });
    expect(told(read(received({ ...account, invitation: 1, profile: {} })))).toEqual([
      "profile.name: is required",
      "invitation: must be a string or null",
    ]);
    expect(told(read(received({ ...account, profile: [] })))).toEqual(["profile: must be an object or null"]);
  });

  test("a body of another media type is refused before it is read", () => {
    const read = bodyReader(createTeam, traits)(received({}, "application/merge-patch+json"));
    expect(() => read()).toThrow(
      "The Content-Type is application/merge-patch+json; send a JSON object as application/json.",
    );
  });
});
