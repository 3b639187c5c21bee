import { findAccountIn } from "../../areas/access/accounts/accounts.ts";
import { cookieName } from "../../areas/access/console-sessions/cookie.ts";
import { sessionReplies } from "../../areas/access/console-sessions/replies.ts";
import type { Sessions } from "../../areas/access/console-sessions/sessions.ts";
import { ConsoleProviderSignIn } from "../../areas/access/console-sign-in/provider-sign-in.ts";
import { pendingMilliseconds } from "../../areas/access/provider-sign-in/pending.ts";
import { IdentityProvider } from "../../areas/access/provider-sign-in/provider.ts";
import { requestIdOf } from "../../core/http/request-id.ts";
import type { Keyring } from "../../lib/crypto/keyring.ts";
import { cookieValue, httpOnlyCookie } from "../../lib/http/cookie.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { Egress } from "../../platform/egress/egress.ts";
import { HttpHeaders } from "../../platform/http1/message/headers.ts";
import type { HttpRequest } from "../../platform/http1/message/http-request.ts";
import { HttpResponse } from "../../platform/http1/message/http-response.ts";
import { splitTarget } from "../../platform/http1/message/target.ts";
import type { SystemRoute } from "../dispatch/system-routes.ts";
import type { Foundation } from "../foundation/foundation.ts";
import type { OwnAddress } from "../foundation/own-address.ts";

/** Sign-in with the identity provider. Undefined if none is configured. */
export function openProvider(
  { config, clock, log, storage }: Foundation,
  { sessions, keyring, address }: { sessions: Sessions; keyring: Keyring; address: OwnAddress },
) {
  if (!config.oidc) return undefined;
  const signIn = new ConsoleProviderSignIn({
    // The operator chose the provider, which may be in a private network.
    provider: new IdentityProvider({ ...config.oidc, claim: config.oidc.roles?.claim }, new Egress("any")),
    rules: config.oidc,
    sessions,
    storage,
    keyring,
    log,
    findAccount: findAccountIn,
    redirectUri: () => `${address.publicUrl}${callbackPath}`,
  });
  return { routes: consoleProviderRoutes({ signIn, sessions, clock, publicUrl: () => address.publicUrl }) };
}

const callbackPath = "/sign-in/provider/callback";

interface ProviderRouteOptions {
  signIn: ConsoleProviderSignIn;
  sessions: Sessions;
  clock: Clock;
  publicUrl(): string;
}

/** The addresses that a browser visits to sign in with the identity provider: each redirects. */
function consoleProviderRoutes({
  signIn,
  sessions,
  clock,
  publicUrl,
}: ProviderRouteOptions): Record<string, SystemRoute> {
  const { isSecure } = sessions.origin;
  // With `__Host-`, no other host can set it, which would sign a person in as another. That needs the path `/`.
  const pendingName = isSecure ? "__Host-tollgate-provider" : "tollgate-provider";
  const { setCookie } = sessionReplies(sessions);
  const pendingCookie = (value: string, seconds: number) => httpOnlyCookie(pendingName, value, { isSecure, seconds });
  const failed = (reason: string) => redirect(`/console/sign-in?error=${reason}`, [pendingCookie("", 0)]);
  return {
    "/sign-in/provider": async (request) => {
      const to = new URLSearchParams(splitTarget(request.target).search).get("to") ?? undefined;
      const begun = await signIn.begin(to, clock.now());
      if (typeof begun === "string") return failed(begun);
      return redirect(begun.url, [pendingCookie(begun.cookie, pendingMilliseconds / 1000)]);
    },
    [callbackPath]: async (request) => {
      const act = { actor: "anyone", now: clock.now(), requestId: requestIdOf(request), ip: request.ip };
      const { search } = splitTarget(request.target);
      const former = cookieOf(request, cookieName(isSecure));
      const finished = await signIn.finish(search, cookieOf(request, pendingName), act, former);
      if (typeof finished === "string") return failed(finished);
      const { opened, to } = finished;
      // The page sets the hint that there is a session, then opens the path.
      const query = new URLSearchParams({ signedIn: "true", ...(to === "/" ? {} : { to }) });
      return redirect(`/console/sign-in?${query}`, [pendingCookie("", 0), setCookie(opened)]);
    },
    "/sign-in/provider/sign-out": async () => {
      const page = `${publicUrl()}/console/sign-in`;
      return redirect((await signIn.signOutUrl(page)) ?? page, []);
    },
  };
}

function cookieOf(request: HttpRequest, name: string): string | undefined {
  return cookieValue(request.headers.get("cookie") ?? "", name);
}

function redirect(location: string, cookies: string[]): HttpResponse {
  const headers = new HttpHeaders({ location, "cache-control": "no-store", "referrer-policy": "no-referrer" });
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new HttpResponse(302, headers);
}
