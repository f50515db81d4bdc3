import { type Build, needlessBodyErrors, type Paths } from "../build.ts";
import type { AccountSchemas } from "../schemas/accounts.ts";
import { everybody, sessionsOnly } from "../security.ts";
import { accountsTag } from "./accounts.ts";

const tag = accountsTag.name;

/** api-decisions: Accounts, as far as passwords, addresses and second factors are concerned. */
export function credentialPaths(build: Build, schemas: AccountSchemas): Paths {
  return { ...passwordPaths(build, schemas), ...emailPaths(build, schemas), ...totpPaths(build, schemas) };
}

function passwordPaths(build: Build, schemas: AccountSchemas): Paths {
  const path = `/v1/${build.realm.name}/_auth/password`;
  return {
    [`${path}/change`]: build.path([], {
      post: build.operation({
        id: "changePassword",
        tag,
        summary: "Choose another password",
        about: "Ends the user's other sessions.",
        body: { schema: schemas.passwordChange },
        answers: { 204: { description: "Changed." } },
        errors: ["invalid_credentials", "too_many_requests", "write_conflict"],
        admits: sessionsOnly(build.realm),
      }),
    }),
    [`${path}/forgot`]: build.path([], {
      post: build.operation({
        id: "forgotPassword",
        tag,
        summary: "Ask for a mail to choose a new password with",
        about: "The answer is the same whether anybody has the address.",
        body: { schema: schemas.passwordForgot },
        answers: { 202: { description: "A mail is on its way to whoever has the address." } },
        admits: everybody,
      }),
    }),
    [`${path}/reset`]: build.path([], {
      post: build.operation({
        id: "resetPassword",
        tag,
        summary: "Choose a new password by a mailed token",
        about: "Ends all of the user's sessions.",
        body: { schema: schemas.passwordReset },
        answers: { 204: { description: "Changed." } },
        errors: ["invalid_token", "write_conflict"],
        admits: everybody,
      }),
    }),
  };
}

function emailPaths(build: Build, schemas: AccountSchemas): Paths {
  const path = `/v1/${build.realm.name}/_auth/email`;
  const own = sessionsOnly(build.realm);
  return {
    [`${path}/verify`]: build.path([], {
      post: build.operation({
        id: "verifyEmail",
        tag,
        summary: "Prove an address by the token that was mailed to it",
        about: "Of the account, or the one that it will have from then on.",
        body: { schema: schemas.emailVerify },
        answers: { 204: { description: "Proved." } },
        errors: ["invalid_token", "email_taken", "write_conflict"],
        admits: everybody,
      }),
    }),
    [`${path}/verify/send`]: build.path([], {
      post: build.operation({
        id: "sendVerification",
        tag,
        summary: "Ask for another mail to verify the address with",
        about: "Its token ends the one that was mailed before.",
        answers: { 202: { description: "A mail is on its way, unless the address is verified." } },
        errors: needlessBodyErrors,
        admits: own,
      }),
    }),
    [`${path}/change`]: build.path([], {
      post: build.operation({
        id: "changeEmail",
        tag,
        summary: "Move the account to another address",
        about:
          "Takes effect when the new address is verified. The answer is the same for an address that is taken.",
        parameters: ["Reauth"],
        body: { schema: schemas.emailChange },
        answers: { 202: { description: "A mail is on its way to the new address." } },
        errors: ["reauth_required"],
        admits: own,
      }),
    }),
  };
}

/** None where users may enrol no second factor. */
function totpPaths(build: Build, { totp }: AccountSchemas): Paths {
  if (totp === undefined) return {};
  const path = `/v1/${build.realm.name}/_auth/mfa`;
  const admits = sessionsOnly(build.realm);
  return {
    [`${path}/totp`]: build.path([], {
      post: build.operation({
        id: "enrolTotp",
        tag,
        summary: "Ask for a secret for an authenticator app",
        about:
          "Needs a verified address. Counts once a code of it is confirmed; until then the second factor that there is stays.",
        parameters: ["Reauth"],
        answers: { 201: { description: "The secret, shown this once.", schema: totp.enrolment } },
        errors: ["reauth_required", "write_conflict", ...needlessBodyErrors],
        admits,
      }),
      delete: build.operation({
        id: "removeTotp",
        tag,
        summary: "Give up the second factor",
        about: "Its recovery codes end with it.",
        parameters: ["Reauth"],
        answers: { 204: { description: "Removed." } },
        errors: ["reauth_required", "not_found", "write_conflict"],
        admits,
      }),
    }),
    [`${path}/recovery_codes`]: build.path([], {
      post: build.operation({
        id: "renewRecoveryCodes",
        tag,
        summary: "Make new recovery codes",
        about: "Those that are left end.",
        parameters: ["Reauth"],
        answers: { 200: { description: "The codes, shown this once.", schema: totp.recoveryCodes } },
        errors: ["reauth_required", "not_found", "write_conflict", ...needlessBodyErrors],
        admits,
      }),
    }),
    [`${path}/totp/confirm`]: build.path([], {
      post: build.operation({
        id: "confirmTotp",
        tag,
        summary: "Make the new secret the second factor, by a code of it",
        about: "This session counts as one with a second factor from then on.",
        body: { schema: totp.confirmation },
        answers: { 200: { description: "Codes for when the app is lost.", schema: totp.recoveryCodes } },
        errors: ["invalid_credentials", "too_many_requests", "write_conflict"],
        admits,
      }),
    }),
  };
}
