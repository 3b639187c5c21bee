import { Tollgate, type TollgateOptions } from "../../client/index.ts";
import type { Context } from "../arguments/command.ts";
import { UsageError } from "../process/usage-error.ts";
import { version } from "../process/version.ts";
import { Profiles, type ServerProfile } from "./profiles.ts";

export const localAddress = "http://127.0.0.1:8787";

export interface Target {
  profile?: string | undefined;
  account?: string | undefined;
}

/** The server of a command, and the source of that setting. */
interface Server extends ServerProfile {
  source: string;
}

/** A client for the selected server: from the environment, else from the profile. */
export async function connect(
  target: Target,
  context: Context,
  options: Partial<TollgateOptions> = {},
): Promise<Tollgate> {
  const { url, token } = await findServer(target, context);
  context.server = url;
  return clientFor({ url, token }, { account: target.account, ...options });
}

/** Two retries: a user at a terminal should soon see that the server is unreachable. */
export function clientFor({ url, token }: ServerProfile, options: Partial<TollgateOptions> = {}): Tollgate {
  return new Tollgate({ url, token, retries: 2, userAgent: `tollgate-cli/${version}`, ...options });
}

export async function findServer(target: Target, { environment, terminal }: Context): Promise<Server> {
  const { TOLLGATE_URL: url, TOLLGATE_TOKEN: token } = environment;
  if (url && token) {
    if (target.profile !== undefined)
      terminal.note(`TOLLGATE_URL and TOLLGATE_TOKEN are set and are used instead of profile ${target.profile}.`);
    return { url: checkedAddress(url, "TOLLGATE_URL"), token, source: "TOLLGATE_URL and TOLLGATE_TOKEN" };
  }

  const { current, profiles } = await new Profiles(environment).read();
  const name = target.profile ?? current;
  const profile = name === undefined ? undefined : profiles[name];
  if (target.profile !== undefined && !profile) {
    const known = Object.keys(profiles);
    throw new UsageError(
      `There is no profile "${target.profile}"${known.length > 0 ? `; there are: ${known.join(", ")}` : ""}.`,
      `Create it: tollgate login --profile ${target.profile}`,
    );
  }
  if (url) {
    // A token is only sent to the server that it was created for.
    const fitting = Object.values(profiles).find((known) => known.url === url.replace(/\/+$/, ""));
    if (fitting) return { ...fitting, source: "TOLLGATE_URL" };
    throw new UsageError(`TOLLGATE_URL is set to ${url}, and there is no token for it.`, "Set TOLLGATE_TOKEN too.");
  }
  if (token) return { url: profile?.url ?? localAddress, token, source: "TOLLGATE_TOKEN" };
  if (profile) return { ...profile, source: `profile ${name}` };
  throw new UsageError(
    "You are not logged in.",
    "Log in: tollgate login (with a server on this machine: tollgate login --local), or set TOLLGATE_URL and TOLLGATE_TOKEN.",
  );
}

/** The URL's origin, with the base path if there is one. */
export function checkedAddress(text: string, what: string): string {
  const address = URL.parse(text.includes("://") ? text : `http://${text}`);
  if (!address || !/^https?:$/.test(address.protocol))
    throw new UsageError(`${what} must be an address such as ${localAddress}, not "${text}".`);
  return `${address.origin}${address.pathname}`.replace(/\/+$/, "");
}
