import { z } from "zod";
import { read } from "../../../../api/endpoint.ts";
import { siteNavigation, sitePage } from "../../../../core/artifact/site.ts";
import { notFound, Problem } from "../../../../core/problems/problem.ts";
import { text } from "../../../../core/schemas/schemas.ts";
import type { HttpRequest } from "../../../../platform/http1/message/http-request.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import type { PortalDocs } from "../docs/portal-docs.ts";
import type { PortalHosts, PortalSite } from "../hosts/portal-hosts.ts";
import type { PortalSessions } from "../sessions/portal-sessions.ts";

const docsQuery = z.strictObject({
  // Not required: whether there is a session is checked first.
  path: text(500)
    .default("")
    .meta({ description: "Such as `weather/operations/getForecast`, or `weather` for the overview." }),
});

const published = siteNavigation
  .extend({
    slug: z.string().meta({ description: "The API's part of the paths of pages." }),
    deployment: z.string(),
    url: z.string().meta({ description: "The address of the API." }),
  })
  .meta({ id: "PublishedApi" });

const example = {
  slug: "weather",
  deployment: "weather-main-1a2b3c4",
  url: "https://weather-main-1a2b3c4.api.example.com",
  title: "Weather",
  version: "1.0.0",
  description: "Forecasts for every place on earth.",
  guides: [],
  reference: [
    {
      label: "Forecasts",
      entries: [{ page: "operations/getForecast", label: "Read a forecast", method: "GET", path: "/forecast" }],
    },
  ],
};

const documentation = z
  .object({ data: z.array(published) })
  .meta({ id: "Documentation", examples: [{ data: [example] }] });

export interface DocsServices {
  hosts: PortalHosts;
  sessions: PortalSessions;
  docs: PortalDocs;
}

/** The reference and the guides, for everyone if the portal says so, else for signed-in customers. */
export function portalDocsRoutes({ hosts, sessions, docs }: DocsServices) {
  const siteFor = async (request: HttpRequest, reads: Reads, now: number): Promise<PortalSite> => {
    const site = await hosts.siteOf(request);
    if (!(await sessions.mayReadDocs(reads, site, request, now))) throw new Problem("session_required");
    return site;
  };
  return [
    read({
      operationId: "getPortalDocumentation",
      path: "/portal/api/docs",
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
