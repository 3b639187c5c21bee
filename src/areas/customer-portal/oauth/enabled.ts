import { Problem } from "../../../core/problems/problem.ts";
import type { OAuthSettings } from "../portal/schema.ts";
import { settingsOf } from "../portal/settings/present.ts";

/** Whether `registration` of a portal permits clients of a type now: those that exist are stopped too. */
export function permitsClient({ registration }: Pick<OAuthSettings, "registration">, type: string): boolean {
  if (type === "dynamic") return registration === "open";
  return type !== "document" || registration !== "closed";
}

/** The settings of OAuth. Throws 404 while it is off. */
export function enabledOAuth(site: { settings: string }): OAuthSettings {
  const { oauth } = settingsOf(site);
  if (!oauth?.isEnabled) throw new Problem("no_such_route");
  return oauth;
}
