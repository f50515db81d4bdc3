import type { CheckEntry } from "../../settings/change.ts";

export const realmChecks = {
  "realm-removed": {
    kind: "breaking",
    message: "the realm is gone",
    why: "All its routes answer 404.",
  },
  "realm-added": { kind: "additive", message: "the realm is new", why: "Nobody uses it yet." },
  "signup-narrowed": {
    kind: "breaking",
    message: "signup was {old} and is {new}",
    why: "People who could sign up cannot.",
  },
  "signup-widened": {
    kind: "additive",
    message: "signup was {old} and is {new}",
    why: "More people can sign up.",
  },
  "signup-limit-lowered": {
    kind: "breaking",
    message: "{old} sign-ups of one {from} were taken, {new} are",
    why: "Where many people share an address or a network, some who could sign up are told to try again later.",
  },
  "signup-limit-raised": {
    kind: "additive",
    message: "{old} sign-ups of one {from} were taken, {new} are",
    why: "More people can sign up from one place.",
  },
  "role-removed": {
    kind: "breaking",
    message: "the role is gone",
    why: "Nobody holds it any longer, and it cannot be given.",
  },
  "role-added": { kind: "additive", message: "the role is new", why: "It can be given." },
  "role-administration-narrowed": {
    kind: "breaking",
    message: "administered {old}, administers {new}",
    why: "Holders of the role may do less under `_admin`.",
  },
  "role-administration-widened": {
    kind: "additive",
    message: "administered {old}, administers {new}",
    why: "Holders of the role may do more under `_admin`.",
  },
  "default-role-removed": {
    kind: "breaking",
    message: "new users do not get {roles} any longer",
    why: "They may do less than those before them.",
  },
  "default-role-added": {
    kind: "additive",
    message: "new users get {roles}",
    why: "They may do more than those before them.",
  },
  "session-shortened": {
    kind: "breaking",
    message: "sessions ended after {old}, end after {new}",
    why: "People are signed out earlier, or lose their administration earlier.",
  },
  "session-lengthened": {
    kind: "additive",
    message: "sessions ended after {old}, end after {new}",
    why: "People stay signed in for longer.",
  },
  "realtime-lowered": {
    kind: "breaking",
    message: "was {old} and is {new}",
    why: "Streams that were opened are refused, or reset where they were not.",
  },
  "realtime-raised": { kind: "additive", message: "was {old} and is {new}", why: "Streams may do more." },
  "cookie-disabled": {
    kind: "breaking",
    message: "sessions in cookies are off",
    why: "Clients without an `Authorization` header are anonymous.",
  },
  "cookie-enabled": {
    kind: "additive",
    message: "sessions in cookies are on",
    why: "Clients may ask for a cookie.",
  },
  "cookie-narrowed": {
    kind: "breaking",
    message: "the cookie's SameSite was {old} and is {new}",
    why: "Browsers send the cookie in fewer situations.",
  },
  "cookie-widened": {
    kind: "additive",
    message: "the cookie's SameSite was {old} and is {new}",
    why: "Browsers send the cookie in more situations.",
  },
  "totp-disabled": {
    kind: "breaking",
    message: "second factors are off",
    why: "The routes under `_auth/mfa` are gone, and rules that ask for `user.mfa` hold for nobody.",
  },
  "totp-enabled": {
    kind: "additive",
    message: "second factors are on",
    why: "The routes under `_auth/mfa` are new; who enrols is asked for a code.",
  },
  "mail-link-removed": {
    kind: "breaking",
    message: "mails have no {link} any longer",
    why: "Who follows links in mails cannot.",
  },
  "mail-changed": {
    kind: "internal",
    message: "mails are others: {what} was {old} and is {new}",
    why: "The API is the same.",
  },
  "app-config-changed": {
    kind: "internal",
    message: "was {old} and is {new}; rules that read it: {rules}",
    why: "It is a default that administrators replace at run time; rules that read it are named.",
  },
} as const satisfies Readonly<Record<string, CheckEntry>>;
