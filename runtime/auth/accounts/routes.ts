import type { RouteTable } from "../../realm/exchange.ts";
import { inRealm } from "../realm.ts";
import { changeEmail } from "./email.ts";
import { login, logout } from "./login.ts";
import { deleteMe, getMe, patchMe } from "./me.ts";
import { changePassword, forgotPassword, resetPassword } from "./password.ts";
import { reauth } from "./reauth.ts";
import { deleteSession, deleteSessions, listSessions } from "./sessions.ts";
import { signup } from "./signup.ts";
import { confirmTotp, enrollTotp, removeTotp, renewRecoveryCodes } from "./totp.ts";
import { sendVerification, verifyEmail } from "./verify.ts";

/** The routes of `/v1/{realm}/_auth`, in a realm with accounts (api-decisions: Accounts). */
export function accountRoutes(realm: string): RouteTable {
  const base = `/v1/${realm}/_auth`;
  return {
    [`${base}/signup`]: { POST: inRealm(signup) },
    [`${base}/login`]: { POST: inRealm(login) },
    [`${base}/logout`]: { POST: inRealm(logout) },
    [`${base}/reauth`]: { POST: inRealm(reauth) },
    [`${base}/me`]: { GET: inRealm(getMe), PATCH: inRealm(patchMe), DELETE: inRealm(deleteMe) },
    [`${base}/password/change`]: { POST: inRealm(changePassword) },
    [`${base}/password/forgot`]: { POST: inRealm(forgotPassword) },
    [`${base}/password/reset`]: { POST: inRealm(resetPassword) },
    [`${base}/email/verify`]: { POST: inRealm(verifyEmail) },
    [`${base}/email/verify/send`]: { POST: inRealm(sendVerification) },
    [`${base}/email/change`]: { POST: inRealm(changeEmail) },
    [`${base}/sessions`]: { GET: inRealm(listSessions), DELETE: inRealm(deleteSessions) },
    [`${base}/sessions/:id`]: { DELETE: inRealm(deleteSession) },
  };
}

/** Those of the second factor, in a realm with `mfa.totp: true`. */
export function secondFactorRoutes(realm: string): RouteTable {
  const base = `/v1/${realm}/_auth/mfa`;
  return {
    [`${base}/totp`]: { POST: inRealm(enrollTotp), DELETE: inRealm(removeTotp) },
    [`${base}/totp/confirm`]: { POST: inRealm(confirmTotp) },
    [`${base}/recovery_codes`]: { POST: inRealm(renewRecoveryCodes) },
  };
}
