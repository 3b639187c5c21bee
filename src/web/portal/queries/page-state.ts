import type { PortalSession, PortalSite } from "../../../client/transport/portal-schema.gen.ts";

interface PageState {
  site: PortalSite;
  /** Null without a session. */
  session: PortalSession | null;
  /** The console sends what to show: see preview.tsx. */
  isPreview: boolean;
}

/** What the server has written into the page, so that it needs no request to begin with. */
export function pageState(): Partial<PageState> {
  const content = document.querySelector<HTMLMetaElement>('meta[name="portal-state"]')?.content;
  return content === undefined ? {} : (JSON.parse(content) as PageState);
}
