import { read } from "../../../api/endpoint.ts";
import { sitePage } from "../../../core/artifact/site.ts";
import { notFound, Problem } from "../../../core/problems/problem.ts";
import type { HttpRequest } from "../../../platform/http1/message/http-request.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import type { PortalDocs } from "../docs/portal-docs.ts";
import { docsQuery, documentation } from "../docs/schema.ts";
import type { PortalHosts, PortalSite } from "../hosts/portal-hosts.ts";
import type { PortalSessions } from "../sessions/portal-sessions.ts";

export interface DocsServices {
  hosts: PortalHosts;
  sessions: PortalSessions;
  docs: PortalDocs;
}

/** The reference and the guides, for everyone if the portal says so, else for signed-in customers. */
export function portalDocsRoutes({ hosts, sessions, docs }: DocsServices, area: string) {
  const siteFor = async (request: HttpRequest, reads: Reads, now: number): Promise<PortalSite> => {
    const site = await hosts.siteOf(request);
    if (!(await sessions.mayReadDocs(reads, site, request, now))) throw new Problem("session_required");
    return site;
  };
  return [
    read({
      operationId: "getPortalDocumentation",
      path: "/portal/api/docs",
      area,
      summary: "List the pages of the reference and the guides",
      description: "By API. For everyone if the portal's reference is public, else with a session.",
      access: "anyone",
      response: documentation,
      problems: ["session_required", "portal_not_found"],
      handle: async ({ request, reads, act }) => {
        const apis = await docs.apis(reads, await siteFor(request, reads, act.now));
        const data = apis.map(({ slug, deployment, url, site }) => ({
          slug,
          deployment,
          url,
          ...site.contents.navigation,
        }));
        return { body: { data } };
      },
    }),
    read({
      operationId: "getPortalPage",
      path: "/portal/api/docs/page",
      area,
      summary: "Read a page of the reference or a guide",
      access: "anyone",
      query: docsQuery,
      response: sitePage,
      problems: ["session_required", "portal_not_found", "not_found"],
      handle: async ({ request, reads, act, query }) => {
        const found = await docs.page(reads, await siteFor(request, reads, act.now), query.path);
        if (!found) throw notFound("page");
        return { body: found.page };
      },
    }),
  ];
}
