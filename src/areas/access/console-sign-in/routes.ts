import { z } from "zod";
import { type AreaContext, areaOf } from "../../../api/area.ts";
import { read, write } from "../../../api/endpoint.ts";
import { Problem } from "../../../core/problems/problem.ts";
import { dateTime, email, secret, text } from "../../../core/schemas/schemas.ts";
import { httpOnlyCookie } from "../../../lib/http/cookie.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import { sessionReplies } from "../console-sessions/replies.ts";
import { createdSession } from "../console-sessions/schema.ts";
import { callerOf, type Sessions } from "../console-sessions/sessions.ts";
import { type MailSignIns, removeOldSignIns, validMilliseconds } from "../mail-sign-in/mail-sign-ins.ts";
import { hasAnyMember, signInByMail } from "../members/members.ts";

const signInMethods = z
  .object({
    mail: z.boolean().meta({ description: "Whether people sign in by mail." }),
    hasMembers: z.boolean().meta({
      description: "Whether any account has a member or an invitation. Without one, only tokens sign in.",
    }),
    provider: z.string().optional().meta({ description: "The host of the identity provider, if there is one." }),
  })
  .meta({ id: "SignInMethods", examples: [{ mail: true, hasMembers: true, provider: "login.acme.example" }] });

const consoleSignInInput = z.strictObject({ email }).meta({ id: "SignInStart" });

const startedConsoleSignIn = z
  .object({ expiresOn: dateTime })
  .meta({ id: "StartedSignIn", examples: [{ expiresOn: "2026-01-31T10:15:00.000Z" }] });

const consoleCodeInput = z
  .strictObject({
    code: secret(text(20).meta({ description: "The code of the mail: 8 digits; spaces are ignored." })),
  })
  .meta({ id: "SignInCode" });

const consoleLinkInput = z
  .strictObject({
    link: secret(text(100).min(1).meta({ description: "What follows `#` in the link." })),
  })
  .meta({ id: "SignInLink" });

const audience = "console";

interface SignInServices {
  sessions: Sessions;
  signIns: MailSignIns;
  /** Whether people sign in by mail: a mail server is configured, and sign-in by mail is not turned off. */
  hasMail: boolean;
  /** The host of the identity provider. */
  provider: string | undefined;
}

export function consoleSignInArea(
  { storage, clock }: AreaContext,
  { sessions, signIns, hasMail, provider }: SignInServices,
) {
  const { isSecure } = sessions.origin;
  const { former, created } = sessionReplies(sessions);

  /** The session of the person with this address, which they have just proven. */
  const signedIn = async (
    transaction: WriteTransaction,
    { act, cookie }: { act: Parameters<Sessions["openForPerson"]>[1]; cookie(name: string): string | undefined },
    mailbox: string,
  ) => {
    const found = await signInByMail(transaction, mailbox, act.now);
    if (!found) throw new Problem("no_access");
    const signIn = { person: found.person, method: "mail", former: former(cookie) } as const;
    const opened = await sessions.openForPerson(transaction, act, signIn);
    return created(opened, callerOf(found.person, found.memberships));
  };

  const rejectWithoutMail = () => {
    if (!hasMail) throw new Problem("mail_not_configured");
  };

  const operations = [
    read({
      operationId: "getSignInMethods",
      path: "/v1/sign-in",
      summary: "Show how people can sign in",
      access: "anyone",
      response: signInMethods,
      handle: async ({ reads }) => {
        const hasMembers = await hasAnyMember(reads);
        return { body: { mail: hasMail, hasMembers, ...(provider === undefined ? {} : { provider }) } };
      },
    }),
    write({
      operationId: "startSignIn",
      method: "POST",
      path: "/v1/sign-in",
      summary: "Send a mail to sign in with",
      description:
        "Always 202, whether the address is known or not. The mail has a link for any browser, and a code for this one; both work once, " +
        "for 15 minutes. The `Origin` must be this server's own.",
      access: "anyone",
      isForOwnPages: true,
      body: consoleSignInInput,
      response: startedConsoleSignIn,
      accepted: "always",
      problems: ["mail_not_configured", "too_many_sign_ins"],
      examples: { request: { email: "ada@acme.example" } },
      handle: async ({ body, act }, transaction) => {
        rejectWithoutMail();
        const { browser, expiresOn } = await signIns.start(transaction, audience, body.email, act);
        return {
          body: { expiresOn: formatDateTime(expiresOn) },
          headers: {
            "set-cookie": consoleSignInCookie(browser, isSecure, validMilliseconds / 1000),
            "cache-control": "no-store",
          },
        };
      },
    }),
    write({
      operationId: "signInWithCode",
      method: "POST",
      path: "/v1/sign-in/code",
      summary: "Sign in with the code of a mail",
      description: "Only in the browser where sign-in was started, with at most 5 attempts. Sets a cookie.",
      access: "anyone",
      isForOwnPages: true,
      body: consoleCodeInput,
      response: createdSession,
      problems: ["code_invalid", "no_access", "mail_not_configured"],
      examples: { request: { code: "1234 5678" } },
      handle: async (input, transaction) => {
        rejectWithoutMail();
        const { body, act, cookie } = input;
        const code = body.code.replaceAll(" ", "");
        const mailbox = await signIns.useCode(
          transaction,
          audience,
          cookie(consoleSignInCookieName(isSecure)),
          code,
          act.now,
        );
        // The attempt is counted: the transaction commits.
        if (mailbox === undefined) return { rejected: new Problem("code_invalid") };
        return signedIn(transaction, input, mailbox);
      },
    }),
    write({
      operationId: "signInWithLink",
      method: "POST",
      path: "/v1/sign-in/link",
      summary: "Sign in with the link of a mail",
      description: "In any browser, once. Sets a cookie.",
      access: "anyone",
      isForOwnPages: true,
      body: consoleLinkInput,
      response: createdSession,
      problems: ["link_invalid", "no_access", "mail_not_configured"],
      examples: { request: { link: "tgl_0123456789abcdef0123456789abcdef_7759b50e" } },
      handle: async (input, transaction) => {
        rejectWithoutMail();
        const used = await signIns.useLink(transaction, audience, { secret: input.body.link }, input.act.now);
        if (!used) throw new Problem("link_invalid");
        return signedIn(transaction, input, used.mailbox);
      },
    }),
  ];
  return areaOf({ "Sign-in": "How people sign in to the console. For its pages." }, operations, {
    removals: [(signal) => removeOldSignIns(storage, clock.now(), signal)],
  });
}

/**
 * The cookie of the browser where sign-in by mail was started. With `__Host-`, no other host can set it; that needs the
 * path `/`.
 */
function consoleSignInCookieName(isSecure: boolean): string {
  return isSecure ? "__Host-tollgate-sign-in" : "tollgate-sign-in";
}

function consoleSignInCookie(value: string, isSecure: boolean, seconds: number): string {
  return httpOnlyCookie(consoleSignInCookieName(isSecure), value, { isSecure, seconds });
}
