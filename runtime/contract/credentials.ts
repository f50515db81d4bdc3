/** api-decisions: Accounts, as far as passwords, addresses and second factors are concerned. */
import { accountsTag as tag } from "./accounts.ts";
import { contract, type RouteContract } from "./contract.ts";
import { email, password } from "./people.ts";
import { closed, named } from "./schema.ts";
import type { RealmTraits } from "./traits.ts";

const anyone = { kind: "anyone" } as const;
const session = { kind: "session" } as const;
const proved = { kind: "session", proof: true } as const;

const text = { type: "string" } as const;

export const changePassword = contract({
  id: "changePassword",
  method: "POST",
  path: "/_auth/password/change",
  who: session,
  body: { schema: named("PasswordChange", closed({ current: text, new: password })), media: "json" },
  answers: { 204: { description: "Changed." } },
  errors: ["invalid_credentials", "too_many_requests", "write_conflict"],
  tag,
  summary: "Choose another password",
  about: "Ends the user's other sessions.",
  client: "$auth.changePassword",
});

export const forgotPassword = contract({
  id: "forgotPassword",
  method: "POST",
  path: "/_auth/password/forgot",
  who: anyone,
  body: { schema: named("PasswordForgot", closed({ email: text })), media: "json" },
  answers: { 202: { description: "A mail is on its way to whoever has the address." } },
  tag,
  summary: "Ask for a mail to choose a new password with",
  about: "The answer is the same whether anybody has the address.",
  client: "$auth.forgotPassword",
});

export const resetPassword = contract({
  id: "resetPassword",
  method: "POST",
  path: "/_auth/password/reset",
  who: anyone,
  body: { schema: named("PasswordReset", closed({ token: text, password })), media: "json" },
  answers: { 204: { description: "Changed." } },
  errors: ["invalid_token", "write_conflict"],
  tag,
  summary: "Choose a new password by a mailed token",
  about: "Ends all of the user's sessions.",
  client: "$auth.resetPassword",
});

export const verifyEmail = contract({
  id: "verifyEmail",
  method: "POST",
  path: "/_auth/email/verify",
  who: anyone,
  body: { schema: named("EmailVerify", closed({ token: text })), media: "json" },
  answers: { 204: { description: "Proved." } },
  errors: ["invalid_token", "email_taken", "write_conflict"],
  tag,
  summary: "Prove an address by the token that was mailed to it",
  about: "Of the account, or the one that it will have from then on.",
  client: "$auth.verifyEmail",
});

export const sendVerification = contract({
  id: "sendVerification",
  method: "POST",
  path: "/_auth/email/verify/send",
  who: session,
  answers: { 202: { description: "A mail is on its way, unless the address is verified." } },
  tag,
  summary: "Ask for another mail to verify the address with",
  about: "Its token ends the one that was mailed before.",
  client: "$auth.sendVerification",
});

export const changeEmail = contract({
  id: "changeEmail",
  method: "POST",
  path: "/_auth/email/change",
  who: session,
  // It is looked at after the body.
  headers: ["Reauth"],
  body: { schema: named("EmailChange", closed({ email })), media: "json" },
  answers: { 202: { description: "A mail is on its way to the new address." } },
  errors: ["reauth_required"],
  tag,
  summary: "Move the account to another address",
  about:
    "Takes effect when the new address is verified. The answer is the same for an address that is taken.",
  client: "$auth.changeEmail",
});

const when = ({ totp }: RealmTraits): boolean => totp;

const recoveryCodes = named(
  "RecoveryCodes",
  closed({
    recovery_codes: {
      type: "array",
      items: text,
      description: "Shown this once. Each does once instead of a code.",
    },
  }),
);

export const enrolTotp = contract({
  id: "enrolTotp",
  method: "POST",
  path: "/_auth/mfa/totp",
  who: proved,
  answers: {
    201: {
      description: "The secret, shown this once.",
      schema: named(
        "TotpEnrolment",
        closed({
          secret: { type: "string", description: "Base32, for typing in." },
          uri: { type: "string", format: "uri", description: "`otpauth://…`, for a QR code." },
        }),
      ),
    },
  },
  errors: ["write_conflict"],
  tag,
  summary: "Ask for a secret for an authenticator app",
  about:
    "Needs a verified address. Counts once a code of it is confirmed; until then the second factor that there is stays.",
  client: "$auth.enrolTotp",
  when,
});

export const removeTotp = contract({
  id: "removeTotp",
  method: "DELETE",
  path: "/_auth/mfa/totp",
  who: proved,
  answers: { 204: { description: "Removed." } },
  errors: ["not_found", "write_conflict"],
  tag,
  summary: "Give up the second factor",
  about: "Its recovery codes end with it.",
  client: "$auth.removeTotp",
  when,
});

export const renewRecoveryCodes = contract({
  id: "renewRecoveryCodes",
  method: "POST",
  path: "/_auth/mfa/recovery_codes",
  who: proved,
  answers: { 200: { description: "The codes, shown this once.", schema: recoveryCodes } },
  errors: ["not_found", "write_conflict"],
  tag,
  summary: "Make new recovery codes",
  about: "Those that are left end.",
  client: "$auth.renewRecoveryCodes",
  when,
});

export const confirmTotp = contract({
  id: "confirmTotp",
  method: "POST",
  path: "/_auth/mfa/totp/confirm",
  who: session,
  body: { schema: named("TotpConfirmation", closed({ code: text })), media: "json" },
  answers: { 200: { description: "Codes for when the app is lost.", schema: recoveryCodes } },
  errors: ["invalid_credentials", "too_many_requests", "write_conflict"],
  tag,
  summary: "Make the new secret the second factor, by a code of it",
  about: "This session counts as one with a second factor from then on.",
  client: "$auth.confirmTotp",
  when,
});

/** Those of the second factor are there in realms that let users enrol one; mails go out in all. */
export const credentials: readonly RouteContract[] = [
  changePassword,
  forgotPassword,
  resetPassword,
  verifyEmail,
  sendVerification,
  changeEmail,
  enrolTotp,
  removeTotp,
  renewRecoveryCodes,
  confirmTotp,
];
