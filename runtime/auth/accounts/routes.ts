import { routeTable } from "../../http/contracted-routes.ts";
import type { RouteTable } from "../../realm/exchange.ts";
import { changeEmail } from "./email.ts";
import { login, logout } from "./login.ts";
import { deleteMe, getMe, patchMe } from "./me.ts";
import { changePassword, forgotPassword, resetPassword } from "./password.ts";
import { reauth } from "./reauth.ts";
import { deleteSession, deleteSessions, listSessions } from "./sessions.ts";
import { signup } from "./signup.ts";
import { createToken, listTokens, revokeToken, rotateToken } from "./tokens.ts";
import { confirmTotp, enrollTotp, removeTotp, renewRecoveryCodes } from "./totp.ts";
import { sendVerification, verifyEmail } from "./verify.ts";

/** The routes of `/v1/{realm}/_auth`, in a realm with accounts (api-decisions: Accounts). */
export function accountRoutes(realm: string): RouteTable {
  return routeTable(realm, [
    signup,
    login,
    logout,
    reauth,
    getMe,
    patchMe,
    deleteMe,
    changePassword,
    forgotPassword,
    resetPassword,
    verifyEmail,
    sendVerification,
    changeEmail,
    listSessions,
    deleteSessions,
    deleteSession,
  ]);
}

/** Those of the second factor, in a realm with `mfa.totp: true`. */
export function secondFactorRoutes(realm: string): RouteTable {
  return routeTable(realm, [enrollTotp, removeTotp, confirmTotp, renewRecoveryCodes]);
}

/** Those of personal tokens, in a realm with `tokens: { personal: true }`. */
export function tokenRoutes(realm: string): RouteTable {
  return routeTable(realm, [listTokens, createToken, rotateToken, revokeToken]);
}
