import { Problem } from "../../core/problems/problem.ts";
import type { OAuthSettings } from "../portal/schema.ts";
import { settingsOf } from "../portal/settings/present.ts";

/** The settings of OAuth. Throws 404 while it is off. */
export function enabledOAuth(site: { settings: string }): OAuthSettings {
  const { oauth } = settingsOf(site);
  if (!oauth?.isEnabled) throw new Problem("no_such_route");
  return oauth;
}
