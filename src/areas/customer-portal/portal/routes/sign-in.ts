import { noBody } from "../../../../api/body.ts";
import { read, write } from "../../../../api/endpoint.ts";
import { Problem } from "../../../../core/problems/problem.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import type { HttpRequest } from "../../../../platform/http1/message/http-request.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import { validMilliseconds } from "../../../access/mail-sign-in/mail-sign-ins.ts";
import { ownPath } from "../../../access/provider-sign-in/pending.ts";
import { session } from "../customer/schema.ts";
import { portalCookies } from "../sessions/cookie.ts";
import { audienceOf } from "../sign-in/mail.ts";
import { personOf } from "../sign-in/portal-sign-ins.ts";
import {
  choiceInput,
  customers,
  portalCodeInput,
  portalLinkInput,
  portalSignInInput,
  signInOutcome,
  signUpInput,
  signUpOutcome,
  startedPortalSignIn,
} from "../sign-in/schema.ts";
import { type PortalSignInServices, signInReplies } from "./sign-in-replies.ts";

const signInPath = "/portal/api/sign-in";

/** Sign-in and sign-up at a portal. */
export function portalSignInRoutes(services: PortalSignInServices) {
  const { hosts, sessions, signIns, mailSignIns } = services;
  const { contextOf, cookieOf, sessionOf, sessionReply, outcomeReply } = signInReplies(services);
  const mailContextOf = async (input: Parameters<typeof contextOf>[0]) => {
    const context = await contextOf(input);
    if (!mailSignIns.isEnabled) throw new Problem("mail_not_configured");
    return context;
  };
  const currentOf = async (reads: Reads, request: HttpRequest, now: number) => {
    const site = await hosts.siteOf(request);
    return { site, session: (await sessions.find(reads, site, request, now))! };
  };

  return [
    write({
      operationId: "startPortalSignIn",
      method: "POST",
      path: signInPath,
      summary: "Send a mail to sign in or sign up with",
      description:
        "Always 202, whether the address is known or not. The mail has a link for any browser, and a code for this one; both work once, for 15 minutes.",
      access: "anyone",
      isForOwnPages: true,
      body: portalSignInInput,
      response: startedPortalSignIn,
      accepted: "always",
      problems: ["portal_not_found", "mail_not_configured", "too_many_sign_ins"],
      handle: async (input, transaction) => {
        const { request, act, body } = input;
        const { site } = await mailContextOf(input);
        const path = ownPath(body.to);
        const { browser, expiresOn } = await mailSignIns.start(transaction, audienceOf(site), body.email, act, path);
        const cookie = portalCookies.signIn.set(browser, hosts.isSecure(request), validMilliseconds / 1000);
        return { body: { expiresOn: formatDateTime(expiresOn) }, headers: { "set-cookie": cookie } };
      },
    }),
    write({
      operationId: "signInToPortalWithCode",
      method: "POST",
      path: `${signInPath}/code`,
      summary: "Sign in with the code of a mail",
      description: "Only in the browser where sign-in was started, with at most 5 attempts.",
      access: "anyone",
      isForOwnPages: true,
      body: portalCodeInput,
      response: signInOutcome,
      problems: ["portal_not_found", "mail_not_configured", "code_invalid", "no_portal_access"],
      handle: async (input, transaction) => {
        const { request, body, cookie, act } = input;
        const context = await mailContextOf(input);
        const browser = cookie(portalCookies.signIn.nameOf(hosts.isSecure(request)));
        const code = body.code.replaceAll(" ", "");
        const mailbox = await mailSignIns.useCode(transaction, audienceOf(context.site), browser, code, act.now);
        // Returned, not thrown, so that the transaction commits and the attempt counts.
        if (mailbox === undefined) return { rejected: new Problem("code_invalid") };
        return outcomeReply(transaction, context, await signIns.enter(transaction, context, { mailbox }));
      },
    }),
    write({
      operationId: "signInToPortalWithLink",
      method: "POST",
      path: `${signInPath}/link`,
      summary: "Sign in with the link of a mail",
      description: "In any browser, once. In the one where sign-in was started, it continues on the page of `to`.",
      access: "anyone",
      isForOwnPages: true,
      body: portalLinkInput,
      response: signInOutcome,
      problems: ["portal_not_found", "mail_not_configured", "link_invalid", "no_portal_access"],
      handle: async (input, transaction) => {
        const context = await mailContextOf(input);
        const audience = audienceOf(context.site);
        const browser = input.cookie(portalCookies.signIn.nameOf(hosts.isSecure(input.request)));
        const link = { secret: input.body.link, browser };
        const used = await mailSignIns.useLink(transaction, audience, link, input.act.now);
        if (!used) throw new Problem("link_invalid");
        const outcome = await signIns.enter(transaction, context, { mailbox: used.mailbox });
        return outcomeReply(transaction, context, outcome, used.path);
      },
    }),
    write({
      operationId: "choosePortalCustomer",
      method: "POST",
      path: `${signInPath}/customer`,
      summary: "Choose a customer to sign in for",
      access: "anyone",
      isForOwnPages: true,
      body: choiceInput,
      response: signInOutcome,
      problems: ["portal_not_found", "proof_invalid", "no_portal_access"],
      handle: async (input, transaction) => {
        const { proof, id } = input.body;
        const context = await contextOf(input);
        return sessionReply(transaction, context, await signIns.choose(transaction, context, proof, id));
      },
    }),
    write({
      operationId: "signUpToPortal",
      method: "POST",
      path: "/portal/api/sign-up",
      summary: "Create an account, or request access",
      description:
        "Creates the customer with a subscription to the portal's plan and a first key, and signs in. If the business approves new customers, it only requests access. Returns 409 for 31 days after an account of the address was deleted.",
      access: "anyone",
      isForOwnPages: true,
      body: signUpInput,
      response: signUpOutcome,
      problems: [
        "portal_not_found",
        "proof_invalid",
        "no_portal_access",
        "sign_up_unavailable",
        "account_deleted_recently",
      ],
      handle: async (input, transaction) => {
        const { proof, name, note } = input.body;
        const context = await contextOf(input);
        const given = { proof, label: name || undefined, note: note?.trim() || undefined };
        const signedUp = await signIns.signUp(transaction, context, given);
        if (!signedUp) return { body: { isRequested: true } };
        const { key } = signedUp;
        return {
          body: {
            session: await sessionOf(transaction, context, signedUp.opened),
            ...(key ? { key: key.value, keyId: key.id } : {}),
            isRequested: false,
          },
          headers: cookieOf(input.request, signedUp.opened),
        };
      },
    }),
    read({
      operationId: "listPortalCustomers",
      path: "/portal/api/customers",
      summary: "List the customers that the person manages",
      description:
        "In a session that began with a hand-off from the site of the business, only the customer of the session, whose `id` is then that of the session.",
      access: "customer",
      response: customers,
      handle: async (input) => {
        const { site, session: row } = await currentOf(input.reads, input.request, input.act.now);
        const name = row.display_name ?? row.consumer_name;
        const person = personOf(row);
        if (!person) return { body: { data: [{ id: row.id, name, isCurrent: true }] } };
        const found = await signIns.customersOf(input.reads, site, person, input.act.now);
        const data = found.map(({ consumerSeq, ...each }) => ({
          ...each,
          isCurrent: consumerSeq === row.consumer_seq,
        }));
        return { body: { data } };
      },
    }),
    write({
      operationId: "switchPortalCustomer",
      method: "POST",
      path: "/portal/api/customers/{membershipId}/$open",
      summary: "Sign in for another customer of the person",
      access: "customer",
      whileSuspended: true,
      body: noBody,
      response: session,
      problems: ["no_portal_access"],
      handle: async (input, transaction) => {
        const { request, act, params } = input;
        const { site, session: row } = await currentOf(transaction, request, act.now);
        const person = personOf(row);
        if (!person) throw new Problem("no_portal_access");
        const context = { request, act, site };
        const result = await signIns.openAs(transaction, context, person, params.membershipId);
        return { body: await sessionOf(transaction, context, result), headers: cookieOf(request, result) };
      },
    }),
  ];
}
