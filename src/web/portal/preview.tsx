import { useEffect, useState } from "react";
import type { PortalSession } from "../../client/transport/portal-schema.gen.ts";
import { type PreviewMessage, previewReady } from "../lib/portal-preview.ts";
import { goTo } from "../lib/router.tsx";
import { App } from "./app.tsx";
import { allScopes } from "./pages/scopes.ts";
import { queryClient } from "./queries/session.ts";
import { Mark } from "./shell/frame.tsx";

// Nothing is loaded, and nothing is sent: the console has all that is shown.
queryClient.setDefaultOptions({
  queries: {
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  },
});

const style = new CSSStyleSheet();

/** The pages of the portal with settings that are not saved, in a frame of the console. Nothing can be pressed. */
export default function Preview() {
  const [shown, setShown] = useState<PreviewMessage>();
  useEffect(() => {
    document.adoptedStyleSheets = [style];
    document.getElementById("app")!.inert = true;
    const receive = ({ origin, source, data }: MessageEvent) => {
      if (origin !== window.location.origin || source !== window.parent || data?.type !== "portal-preview") return;
      const message = data as PreviewMessage;
      apply(message);
      setShown(message);
    };
    window.addEventListener("message", receive);
    window.parent.postMessage(previewReady, window.location.origin);
    return () => window.removeEventListener("message", receive);
  }, []);
  if (!shown) return null;
  return (
    <Mark value={shown.mark}>
      <App />
    </Mark>
  );
}

function apply({ page, theme, site, pages, plans, style: text }: PreviewMessage): void {
  style.replaceSync(text);
  document.documentElement.dataset.theme = theme;
  queryClient.setQueryData(["getPortalSite"], site);
  queryClient.setQueryData(["getPortalSession"], page === "/plans" ? newCustomer(pages) : null);
  queryClient.setQueryData(["listPortalPlans"], plans);
  if (window.location.pathname !== page) goTo(page, { replace: true });
}

const newCustomer = (pages: PortalSession["pages"]): PortalSession => ({
  consumer: { name: "A new customer" },
  subject: "preview",
  scopes: allScopes,
  pages,
  isManager: false,
  isByProvider: false,
  isView: false,
  expiresOn: new Date(Date.now() + 3_600_000).toISOString(),
});
