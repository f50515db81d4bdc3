import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  minute,
  origin,
  type Person,
  password,
  type Received,
  text,
  tokenIn,
} from "../auth/testing/accounts.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import type { Mail } from "../realm/mail.ts";
import type { Validator } from "../realm/validator.ts";
import { describeMongo } from "../store/mongodb/testing/server.ts";
import { organizationAdministrationRoutes } from "./administration/routes.ts";
import type { OrganizationRecord } from "./records.ts";
import { twoInstances } from "./testing/instances.ts";
import { type Organizations, organizationSettings, outcome, startOrganizations } from "./testing/realm.ts";

const settings = { maxTeamsPerMember: 2 };
/** `{name: string}`, name required. */
const validateProfile: Validator = (data) => {
  const valid = isJsonObject(data) && typeof data["name"] === "string";
  validateProfile.errors = valid
    ? null
    : [{ instancePath: "", keyword: "required", params: { missingProperty: "name" } }];
  return valid;
};

let server: Organizations;
beforeAll(async () => {
  server = await startOrganizations(settings, {
    accounts: { signup: "closed", cookie: { sameSite: "lax" }, defaultRoles: ["agent"] },
    routes: (realm) => (realm === "plain" ? {} : organizationAdministrationRoutes(realm)),
  });
});
afterAll(() => server.stop());

type Org = Pick<OrganizationRecord, "id">;

/** Accounts in realms whose sign-up is closed: by the store, as administrators make them. */
let people = 0;
async function owner(on: Organizations = server): Promise<Person> {
  people += 1;
  const email = `owner-${people}@example.com`;
  const token = await on.adminKey();
  await on.send("POST", "/_admin/users", { token, body: { email, password } });
  const { body } = await on.send("POST", "/_auth/login", { body: { email, password } });
  return {
    id: text(body, "user", "id"),
    email,
    token: text(body, "session", "token"),
    session: text(body, "session", "id"),
  };
}

interface Invited {
  readonly id: string;
  /** What who invites sees. */
  readonly shown: string;
  readonly mailed: string;
  readonly mail: Mail;
}

async function invite(
  { id: org }: Org,
  { token }: Pick<Person, "token">,
  email: string,
  body: JsonObject = {},
  on = server,
): Promise<Invited> {
  const made = await on.send("POST", `/_orgs/${org}/invitations`, {
    token,
    body: { email, send: true, ...body },
  });
  expect(made.status).toBe(201);
  const mail = await on.mailTo(email);
  const [id, shown] = [text(made.body, "id"), text(made.body, "token")];
  return { id, shown, mailed: tokenIn(mail.text), mail };
}

function signUp(token: string, more: JsonObject = {}, on = server, headers = {}): Promise<Received> {
  return on.send("POST", "/_orgs/invitations/signup", { body: { token, password, ...more }, headers });
}

const invalid = [400, "invalid_invitation"];
const notForYou = [403, "invitation_not_for_you"];
const taken = [409, "email_taken"];

describe("A mailed invitation to an organization: sign-up", () => {
  test("makes the account, verifies the address and joins, in one act, also where sign-up is closed", async () => {
    const ann = await owner();
    const org = await server.createOrg(ann, { name: "Acme", slug: "acme" });
    const team = await server.createTeam(org, "Desk", ["clerk"]);
    const { id, mailed } = await invite(org, ann, "New.Colleague@Example.com", {
      roles: ["keeper"],
      teams: [team],
    });
    const { status, body } = await signUp(mailed, { locale: "de-ch", profile: { name: "Neo" } });
    expect(status).toBe(201);
    expect(Object.keys(body)).toEqual(["user", "session", "org"]);
    expect(body["user"]).toMatchObject({
      email: "New.Colleague@Example.com",
      email_verified: true,
      roles: ["agent"],
      locale: "de-CH",
      profile: { name: "Neo" },
      mfa: false,
    });
    expect(body["org"]).toMatchObject({ id: org.id, roles: ["keeper"], teams: [team], mfa_met: true });

    const token = text(body, "session", "token");
    const user = text(body, "user", "id");
    const mine = await server.send("GET", "/_orgs", { token });
    expect(mine.body).toEqual({ items: [body["org"]], has_more: false });
    expect((await server.send("GET", "/_auth/me", { token })).body).toEqual(body["user"]);
    // No second mail asks to verify what the invitation proved.
    expect(server.mails.filter(({ to }) => to === "New.Colleague@Example.com")).toHaveLength(1);
    expect(await server.acts(org, "org.invitation.accept")).toEqual([
      [`user:${user}`, { user, invitation: id, roles: ["keeper"], teams: [team], signed_up: true }],
    ]);
    const [told] = await server.auditOf(org, "org.invitation.accept");
    expect([typeof told?.address, typeof told?.request_id]).toEqual(["string", "string"]);
    const again = await server.login("new.colleague@example.com");
    expect(again.token).toMatch(/^svs_/);
  });

  test("works once; unknown, used, expired, revoked and renewed ones, and of deleted organizations, are invalid_invitation", async () => {
    const bob = await owner();
    const org = await server.createOrg(bob);
    const used = await invite(org, bob, "used@example.com");
    expect((await signUp(used.mailed)).status).toBe(201);
    expect(outcome(await signUp(used.mailed))).toEqual(invalid);

    const revoked = await invite(org, bob, "revoked@example.com");
    await server.send("DELETE", `/_orgs/${org.id}/invitations/${revoked.id}`, { token: bob.token });
    const renewed = await invite(org, bob, "renewed@example.com");
    const path = `/_orgs/${org.id}/invitations/${renewed.id}/link`;
    const link = await server.send("POST", path, { token: bob.token });
    const gone = await server.createOrg(bob);
    const deleted = await invite(gone, bob, "deleted@example.com");
    await server.changeOrg(gone, (before) => ({ ...before, status: "deleted", slug_key: null }));
    for (const token of [
      revoked.mailed,
      renewed.mailed,
      renewed.shown,
      deleted.mailed,
      "",
      "svi_x",
      `svi_${"x".repeat(43)}`,
    ]) {
      expect(outcome(await signUp(token))).toEqual(invalid);
    }
    // The new link was shown to who invites.
    expect(outcome(await signUp(text(link.body, "token")))).toEqual(notForYou);

    const late = await invite(org, bob, "late@example.com", { expires_in: "1m" });
    const begin = server.clock.now();
    server.clock.advance(minute);
    expect(outcome(await signUp(late.mailed))).toEqual(invalid);
    server.clock.set(begin);
    expect((await signUp(late.mailed)).status).toBe(201);
  });

  test("a token that who invites, or anybody else, has seen proves no address and makes no account", async () => {
    const eve = await owner();
    const org = await server.createOrg(eve);
    const victim = await invite(org, eve, "victim@example.com");
    expect(victim.shown).not.toBe(victim.mailed);
    expect(victim.mail.text).not.toContain(victim.shown);
    const made = await server.send("POST", `/_orgs/${org.id}/invitations`, {
      token: eve.token,
      body: { email: "other@example.com" },
    });
    const open = await server.send("POST", `/_orgs/${org.id}/invitations`, { token: eve.token, body: {} });
    const named = await server.send("POST", `/_orgs/${org.id}/invitations`, {
      token: eve.token,
      body: { user: eve.id },
    });
    const admin = await server.send("POST", `/_admin/orgs/${org.id}/invitations`, {
      token: await server.adminKey(),
      body: { email: "third@example.com", send: true },
    });
    for (const token of [
      victim.shown,
      ...[made, open, named, admin].map(({ body }) => text(body, "token")),
    ]) {
      expect(outcome(await signUp(token))).toEqual(notForYou);
    }
    const listed = await server.send("GET", `/_orgs/${org.id}/invitations`, { token: eve.token });
    expect(JSON.stringify(listed.body)).not.toMatch(/token/);
    expect((await signUp(victim.mailed)).status).toBe(201);
  });

  test("mailed again, only the newest mail makes an account", async () => {
    const fay = await owner();
    const org = await server.createOrg(fay);
    const first = await invite(org, fay, "again@example.com");
    await server.send("POST", `/_orgs/${org.id}/invitations/${first.id}/send`, { token: fay.token });
    const second = tokenIn((await server.mailTo("again@example.com", 2)).text);
    for (const token of [first.mailed, first.shown]) expect(outcome(await signUp(token))).toEqual(invalid);
    expect((await signUp(second)).status).toBe(201);
  });

  test("where the address has an account, also spelled otherwise, it is email_taken, and the token still good to accept", async () => {
    const gus = await owner();
    const org = await server.createOrg(gus);
    const there = await owner();
    const { mailed } = await invite(org, gus, there.email.toUpperCase());
    expect(outcome(await signUp(mailed))).toEqual(taken);
    // Nothing but the mailed token tells that there is an account.
    const { shown } = await invite(org, gus, (await owner()).email);
    expect(outcome(await signUp(shown))).toEqual(notForYou);
    await server.verify(there);
    const accepted = await server.send("POST", "/_orgs/invitations/accept", {
      token: there.token,
      body: { token: mailed },
    });
    expect(accepted.status).toBe(200);
  });

  test("looks at no credential: somebody else's session stays as it is, and is not who joins", async () => {
    const hal = await owner();
    const org = await server.createOrg(hal);
    const { mailed } = await invite(org, hal, "fresh@example.com");
    const bystander = await owner();
    const answer = await signUp(mailed, {}, server, { authorization: `Bearer ${bystander.token}` });
    expect(answer.body["user"]).toMatchObject({ email: "fresh@example.com" });
    expect(await server.member(org, bystander)).toBeUndefined();
    expect((await server.send("GET", "/_auth/me", { token: bystander.token })).status).toBe(200);
    const stale = await invite(org, hal, "stale@example.com");
    expect((await signUp(stale.mailed, {}, server, { authorization: "Bearer svs_none" })).status).toBe(201);
  });

  test("sets the session as a cookie for a listed origin alone", async () => {
    const ida = await owner();
    const org = await server.createOrg(ida);
    const { mailed } = await invite(org, ida, "cookie@example.com");
    for (const headers of [{}, { origin: "https://evil.example" }]) {
      expect(outcome(await signUp(mailed, { cookie: true }, server, headers))).toEqual([403, "forbidden"]);
    }
    const { status, body, headers } = await signUp(mailed, { cookie: true }, server, { origin });
    expect(status).toBe(201);
    expect(headers.get("set-cookie")).toMatch(/^svc_session_shop=svs_.*HttpOnly/);
    expect(Object.keys(isJsonObject(body["session"]) ? body["session"] : {})).toEqual(["id", "expires_at"]);
  });

  test("bodies are as sign-up's: passwords, locales, unknown members; the address is the invitation's", async () => {
    const jan = await owner();
    const org = await server.createOrg(jan);
    const { mailed } = await invite(org, jan, "body@example.com");
    for (const [more, path] of [
      [{ password: "short" }, "password"],
      [{ password: null }, "password"],
      [{ locale: "not a tag" }, "locale"],
      [{ profile: [] }, "profile"],
      [{ email: "another@example.com" }, "email"],
      [{ roles: ["boss"] }, "roles"],
    ] as const) {
      const { status, body } = await signUp(mailed, more);
      expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(`"path":"${path}"`)]);
    }
    expect((await signUp(mailed)).status).toBe(201);
  });

  test("joins an organization that requires a second factor; until one is used the membership counts for nothing", async () => {
    const kay = await owner();
    const org = await server.createOrg(kay, { require_mfa: true });
    await server.strengthen(kay);
    const { mailed } = await invite(org, kay, "factor@example.com", { roles: ["clerk"] });
    const { status, body } = await signUp(mailed);
    expect(status).toBe(201);
    expect(body["org"]).toMatchObject({ mfa_met: false, effective_roles: [], claims: {} });
    const person = { id: text(body, "user", "id"), token: text(body, "session", "token") };
    const look = () => server.send("GET", `/_orgs/${org.id}`, { token: person.token });
    expect(outcome(await look())).toEqual([403, "org_requires_mfa"]);
    await server.strengthen(person);
    expect((await look()).status).toBe(200);
  });

  test("makes an orphaned organization active where it gives a role that manages it", async () => {
    const lea = await owner();
    const org = await server.createOrg(lea);
    const { mailed } = await invite(org, lea, "heir@example.com", { roles: ["owner"] });
    const plain = await invite(org, lea, "plain@example.com");
    await server.join(org, lea, { roles: [] });
    await server.changeOrg(org, (before) => ({ ...before, status: "orphaned" }));
    expect((await signUp(plain.mailed)).status).toBe(201);
    expect((await server.org(org))?.status).toBe("orphaned");
    expect((await signUp(mailed)).status).toBe(201);
    expect((await server.org(org))?.status).toBe("active");
  });

  /** Ten who sign up at the same moment with two invitations to one address. */
  async function race(on: Organizations, other: Organizations, name: string): Promise<void> {
    const max = await owner(on);
    for (let round = 0; round < 3; round += 1) {
      const email = `${name}-${round}@example.com`;
      const orgs = [await on.createOrg(max), await on.createOrg(max)] as const;
      const [one, two] = [
        await invite(orgs[0], max, email, {}, on),
        await on
          .send("POST", `/_orgs/${orgs[1].id}/invitations`, {
            token: max.token,
            body: { email, send: true },
          })
          .then(async () => ({ mailed: tokenIn((await on.mailTo(email, 2)).text) })),
      ];
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, at) =>
          signUp((at < 5 ? one : two).mailed, {}, at % 2 === 0 ? on : other),
        ),
      );
      const came = answers.filter(({ status }) => status === 201);
      expect(came).toHaveLength(1);
      const id = text(came[0]?.body ?? {}, "user", "id");
      for (const answer of answers.filter(({ status }) => status !== 201)) {
        expect([invalid, taken, [503, "unavailable"]]).toContainEqual(outcome(answer));
      }
      const joined = await Promise.all(orgs.map((org) => on.member(org, { id })));
      expect(joined.filter((member) => member !== undefined)).toHaveLength(1);
    }
  }

  test("of ten who come at the same moment with invitations to one address one comes, and joins one", async () => {
    await race(server, server, "race");
  });

  describeMongo("of two instances on one database", () => {
    const instances = twoInstances(settings);

    test("of ten who come at the same moment one comes", async () => {
      const [one, other] = instances();
      await race(one, other, "apart");
    });
  });
});

describe("A mailed invitation to an organization: settings", () => {
  test("with invitations_sign_up: false nobody signs up, and mails say to sign in", async () => {
    const off = await startOrganizations({ invitationsSignUp: false });
    try {
      const { ann } = await off.people("ann");
      const org = await off.createOrg(ann);
      const { mailed, mail } = await invite(org, ann, "off@example.com", {}, off);
      expect(outcome(await signUp(mailed, {}, off))).toEqual([403, "forbidden"]);
      expect(mail.text).toContain("sign in and open:");
    } finally {
      await off.stop();
    }
  });

  test("the profile fits the realm's schema, or is left out, as at sign-up; sign-ups of an address are limited", async () => {
    const hour = 60 * minute;
    const limit = { limit: 2, period: hour };
    const strict = await startOrganizations(
      {},
      { accounts: { validateProfile, signupLimit: { address: limit, network: limit } } },
    );
    try {
      const { ann } = await strict.people("ann");
      const org = await strict.createOrg(ann);
      const one = await invite(org, ann, "one@example.com", {}, strict);
      const two = await invite(org, ann, "two@example.com", {}, strict);
      const wrong = await signUp(one.mailed, { profile: { nick: "x" } }, strict);
      expect([wrong.status, JSON.stringify(wrong.body)]).toEqual([
        400,
        expect.stringContaining("profile.name"),
      ]);
      expect((await signUp(one.mailed, { profile: { name: "One" } }, strict)).status).toBe(201);
      const refused = await signUp(two.mailed, {}, strict);
      expect(outcome(refused)).toEqual([429, "too_many_requests"]);
      expect(refused.headers.get("retry-after")).not.toBeNull();
    } finally {
      await strict.stop();
    }
  });
});

describe("A mailed invitation to an organization: names in mails", () => {
  const hostile =
    "Buy at https://evil.example\u202e or write to evil@example.com; evil.example " + "x".repeat(60);

  async function mailOf(name: string, profile: JsonObject | undefined, on: Organizations): Promise<Mail> {
    const by = await owner(on);
    if (profile !== undefined) {
      await on.send("PATCH", "/_auth/me", { token: by.token, body: { profile } });
    }
    const org = await on.createOrg(by, { name });
    return (await invite(org, by, `names-${people}@example.com`, {}, on)).mail;
  }

  test("the organization, and who invites by profile.name", async () => {
    const mail = await mailOf("Compilers & Co", { name: "Ada Lovelace" }, server);
    expect(mail.subject).toBe("You are invited to Compilers & Co");
    expect(mail.text).toMatch(
      /^“Ada Lovelace” invites you to the organization “Compilers & Co” at shop\. To join it, open:\n\nhttps:\/\/app\.example\.com\/join\?token=svi_[\w-]{43}\n\n/,
    );
    const nameless = await mailOf("Acme", undefined, server);
    expect(nameless.text).toMatch(/^You are invited to the organization “Acme” at shop\./);
    expect((await mailOf("Acme", { name: ["x"] }, server)).text).toMatch(/^You are invited to/);
  });

  test("nothing that who invites could send words by", async () => {
    const mail = await mailOf(hostile, { name: `Eve\r\nBcc: all@example.com\r\n\r\n${hostile}` }, server);
    expect(mail.subject).not.toMatch(/[\r\n\u202e@/]|evil\.example/);
    expect(mail.subject.length).toBeLessThanOrEqual("You are invited to ".length + 60);
    const [first = "", , link] = mail.text.split("\n");
    expect(first).not.toMatch(/[\r\u202e@/]|evil\.example/);
    expect(link).toMatch(/^https:\/\/app\.example\.com\/join\?token=svi_/);
    expect(mail.text.split("\n")).toHaveLength(8);
  });

  test("names: false keeps the text that says nothing that people chose", async () => {
    const quiet = await startOrganizations({ invitationMail: { names: false } });
    try {
      const mail = await mailOf("Evil", { name: "Evil" }, quiet);
      expect(mail.subject).toBe("You are invited");
      const { invitationLink = "" } = organizationSettings;
      expect(mail.text.replace(tokenIn(mail.text), "{token}")).toBe(
        [
          "Somebody invites you to their organization at shop. To see which it is, and to join it, sign in and open:",
          invitationLink,
          "If you do not know what this is about, ignore this mail.\n",
        ].join("\n\n"),
      );
    } finally {
      await quiet.stop();
    }
  });
});
