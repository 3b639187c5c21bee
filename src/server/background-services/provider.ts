import { findAccountIn } from "../../areas/accounts/accounts.ts";
import type { Sessions } from "../../areas/console-sessions/sessions.ts";
import { ConsoleProviderSignIn } from "../../areas/console-sign-in/provider-sign-in.ts";
import { IdentityProvider } from "../../areas/provider-sign-in/provider.ts";
import type { Keyring } from "../../lib/crypto/keyring.ts";
import { Egress } from "../../platform/egress/egress.ts";
import { callbackPath, consoleProviderRoutes } from "../dispatch/provider-routes.ts";
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
