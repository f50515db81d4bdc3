import { accounts, type Case, type Sketch } from "./case.ts";

const realm = (more: string): Sketch => ({ realm: `auth: enabled\n${more}` });
const roles = (grant: string): Sketch => realm(`roles: { boss: { admin: ${grant} } }\n`);
const tokens = (more: string): Sketch => realm(`tokens: { personal: true${more && `, ${more}`} }\n`);
const networks = (list: string): Sketch => realm(`admin: { allowed_networks: ${list} }\n`);
const mail = (more: string): Sketch =>
  realm(`email: { from: a@b.example, reset_link: 'https://b.example/{token}'${more} }\n`);

export const realmCases: Readonly<Record<string, Case>> = {
  "auth-enabled": {
    old: {},
    now: { realm: accounts },
    line: "auth: auth is enabled: what no rule allows is denied",
    also: ["error-added"],
  },
  "auth-disabled": {
    old: { realm: accounts },
    now: {},
    line: "auth: auth is disabled: there are no accounts, and everybody may do everything",
    also: ["error-removed"],
  },
  "signup-narrowed": {
    old: realm("signup: open\n"),
    now: realm("signup: invite\n"),
    line: "signup: signup was open and is invite",
  },
  "signup-widened": {
    old: realm("signup: closed\n"),
    now: realm("signup: invite\n"),
    line: "signup: signup was closed and is invite",
  },
  "migrations-mode-changed": {
    old: realm(""),
    now: realm("migrations: background\n"),
    line: "migrations: was start and is background",
  },
  "role-removed": {
    old: realm("roles: { a: {}, b: {} }\n"),
    now: realm("roles: { a: {} }\n"),
    line: "roles.b: the role is gone",
  },
  "role-added": {
    old: realm("roles: { a: {} }\n"),
    now: realm("roles: { a: {}, b: {} }\n"),
    line: "roles.b: the role is new",
  },
  "role-administration-narrowed": {
    old: roles("true"),
    now: roles("[users, data]"),
    line: "roles.boss: administered everything, administers users, data",
  },
  "role-administration-widened": {
    old: roles("[users]"),
    now: roles("[users, data]"),
    line: "roles.boss: administered users, administers users, data",
  },
  "default-role-removed": {
    old: { realm: `${accounts}default_roles: [agent, lead]\n` },
    now: { realm: `${accounts}default_roles: [lead]\n` },
    line: "default_roles: new users do not get agent any longer",
  },
  "signup-limit-lowered": {
    old: realm(""),
    now: realm("signup_limit: { address: 24/d }\n"),
    line: "signup_limit.address: 10/h sign-ups of one address were taken, 24/d are",
  },
  "signup-limit-raised": {
    old: realm("signup_limit: { network: 2400/d }\n"),
    now: realm("signup_limit: { network: 2400/h }\n"),
    line: "signup_limit.network: 2400/d sign-ups of one network were taken, 2400/h are",
  },
  "default-role-added": {
    old: { realm: accounts },
    now: { realm: `${accounts}default_roles: [agent]\n` },
    line: "default_roles: new users get agent",
  },
  "origin-removed": {
    old: realm("cors: { origins: ['https://a.example', 'https://b.example'] }\n"),
    now: realm("cors: { origins: ['https://a.example'] }\n"),
    line: "cors.origins: pages of https://b.example cannot use the API any longer",
  },
  "origin-added": {
    old: {},
    now: { realm: "auth: disabled\ncors: { origins: ['https://a.example'] }\n" },
    line: "cors.origins: pages of https://a.example can use the API",
  },
  "session-shortened": {
    old: realm("sessions: { idle_timeout: 7d }\n"),
    now: realm("sessions: { idle_timeout: 12h }\n"),
    line: "sessions.idle_timeout: sessions ended after 7d, end after 12h",
  },
  "session-lengthened": {
    old: realm(""),
    now: realm("sessions: { lifetime: 60d }\n"),
    line: "sessions.lifetime: sessions ended after 30d, end after 60d",
  },
  "realtime-lowered": {
    old: realm("realtime: { buffer_bytes: 128KiB }\n"),
    now: realm("realtime: { buffer_bytes: 65536B }\n"),
    line: "realtime.buffer_bytes: was 128KiB and is 64KiB",
  },
  "realtime-raised": {
    old: realm("realtime: { max_streams: 100, streams_per_second: 0.5 }\n"),
    now: realm("realtime: { streams_per_second: 0.5 }\n"),
    line: "realtime.max_streams: was 100 and is the instance's",
  },
  "cookie-disabled": {
    old: realm("sessions: { cookie: { enabled: true } }\n"),
    now: realm(""),
    line: "sessions.cookie: sessions in cookies are off",
  },
  "cookie-enabled": {
    old: realm(""),
    now: realm("sessions: { cookie: { enabled: true } }\n"),
    line: "sessions.cookie: sessions in cookies are on",
  },
  "cookie-narrowed": {
    old: realm("sessions: { cookie: { enabled: true } }\n"),
    now: realm("sessions: { cookie: { enabled: true, same_site: strict } }\n"),
    line: "sessions.cookie.same_site: the cookie's SameSite was lax and is strict",
  },
  "cookie-widened": {
    old: realm("sessions: { cookie: { enabled: true, same_site: strict } }\n"),
    now: realm("sessions: { cookie: { enabled: true } }\n"),
    line: "sessions.cookie.same_site: the cookie's SameSite was strict and is lax",
  },
  "tokens-disabled": {
    old: tokens("max_lifetime: 1d, scopes: { read: '*' }"),
    now: realm(""),
    line: "tokens.personal: personal tokens are off",
  },
  "tokens-enabled": {
    old: realm("tokens: { scopes: { write: '*' } }\n"),
    now: tokens("max_lifetime: 1d, scopes: { read: '*' }"),
    line: "tokens.personal: personal tokens are on",
  },
  "token-lifetime-shortened": {
    old: tokens("max_lifetime: 10000h"),
    now: tokens(""),
    line: "tokens.max_lifetime: keys lived 10000h at most, live 365d",
  },
  "token-lifetime-lengthened": {
    old: tokens("max_lifetime: 90d"),
    now: tokens("max_lifetime: 120d"),
    line: "tokens.max_lifetime: keys lived 90d at most, live 120d",
  },
  "token-ceiling-added": {
    old: tokens(""),
    now: tokens("scopes: { read: '*', write: [db], admin: [users, data] }"),
    line: "tokens.scopes: personal tokens may do no more than read everything; write db; administer users, data",
  },
  "token-ceiling-removed": {
    old: tokens("scopes: {}"),
    now: tokens(""),
    line: "tokens.scopes: personal tokens may do all that their users may; it was nothing at most",
  },
  "token-scope-narrowed": {
    old: tokens("scopes: { read: '*', write: [db] }"),
    now: tokens("scopes: { read: [db], write: [db/notes, db] }"),
    line: "tokens.scopes.read: personal tokens could read everything at most, can read db",
  },
  "token-scope-widened": {
    old: tokens("scopes: { read: [db/notes, db], admin: [data] }"),
    now: tokens("scopes: { read: [db], admin: [users, data] }"),
    line: "tokens.scopes.admin: personal tokens could administer data at most, can administer users, data",
  },
  "totp-disabled": {
    old: realm("mfa: { totp: true }\n"),
    now: realm(""),
    line: "mfa.totp: second factors are off",
  },
  "totp-enabled": {
    old: realm(""),
    now: realm("mfa: { totp: true }\n"),
    line: "mfa.totp: second factors are on",
  },
  "mail-link-removed": {
    old: mail(", verify_link: 'https://b.example/v/{token}'"),
    now: mail(""),
    line: "email.verify_link: mails have no verify_link any longer",
  },
  "mail-changed": {
    old: mail(""),
    now: realm("email: { from: c@b.example, reset_link: 'https://b.example/{token}' }\n"),
    line: "email.from: mails are others: from was a@b.example and is c@b.example",
  },
  "networks-narrowed": {
    old: networks("[10.0.0.0/8, 192.168.0.0/16]"),
    now: networks("[10.0.0.0/8]"),
    line: "admin.allowed_networks: no administration from 192.168.0.0/16 any longer",
  },
  "networks-widened": {
    old: networks("[10.1.0.0/16]"),
    now: networks("[10.0.0.0/8]"),
    line: "admin.allowed_networks: administration from 10.0.0.0/8",
  },
  "read-access-narrowed": {
    old: realm("roles: { boss: { admin: read } }\nadmin: { read_access: { users: true, data: true } }\n"),
    now: realm("roles: { boss: { admin: read } }\nadmin: { read_access: { users: true } }\n"),
    line: "admin.read_access: `admin: read` does not cover data any longer",
  },
  "read-access-widened": {
    old: roles("read"),
    now: realm("roles: { boss: { admin: read } }\nadmin: { read_access: { users: true } }\n"),
    line: "admin.read_access: `admin: read` covers users",
  },
  "openapi-narrowed": {
    old: {},
    now: { realm: "auth: disabled\nopenapi: off\n" },
    line: "openapi: the API's description was public and is off",
  },
  "openapi-widened": {
    old: realm("openapi: users\n"),
    now: realm("openapi: public\n"),
    line: "openapi: the API's description was users and is public",
  },
  "openapi-info-changed": {
    old: realm("openapi: { title: Desk, version: '1' }\n"),
    now: realm("openapi: { title: Helpdesk, version: '1', license: MIT }\n"),
    line: "openapi: what the API's description says of the API has changed: title, license",
  },
  "app-config-changed": {
    old: {
      realm: `${accounts}app_config: { open: true }\n`,
      collection: "rules: { read: appConfig.open }\n",
    },
    now: {
      realm: `${accounts}app_config: { open: false }\n`,
      collection: "rules: { read: appConfig.open }\n",
    },
    line: "app_config.open: was true and is false; rules that read it: db/notes rules.read",
  },
};
