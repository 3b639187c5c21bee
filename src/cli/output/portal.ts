import type { Portal, PortalHandoff } from "../../client/index.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { showResource } from "./show.ts";

/** The fields, with lists in one line each, and the warnings. The image is not shown. */
export function showPortal(portal: Portal, terminal: Terminal): void {
  const { logo, links, deployments, returnOrigins, oidc, oauth, warnings = [], ...fields } = portal;
  showResource(terminal, {
    ...fields,
    oidc: oidc && `${oidc.issuer} (client ${oidc.clientId})`,
    oauth: oauth && `${oauth.isEnabled ? "on" : "off"} (registration ${oauth.registration})`,
    logo: logo === undefined ? "none" : "set",
    deployments: deployments.join(", ") || "none",
    returnOrigins: returnOrigins?.join(", "),
    links: links?.map(({ label, url }) => `${label}: ${url}`).join(", "),
  });
  for (const warning of warnings) terminal.note(`${terminal.noteStyle("yellow", "warning:")} ${warning}`);
  if (warnings.length > 0) terminal.note("See tollgate billing set --help and tollgate billing set-provider --help.");
}

/** The address alone, so that a shell can pass it on. */
export function showHandoff({ url, expiresOn }: PortalHandoff, terminal: Terminal): void {
  terminal.print(url);
  terminal.note(`It works once, until ${expiresOn}.`);
}
