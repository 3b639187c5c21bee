import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ConnectionLost } from "../components/connection-lost.tsx";
import { onReconnect, watchConnection } from "../lib/connection.ts";
import { guardNavigation, mayLeave } from "../lib/unsaved.ts";
import { onSessionEnd, queryClient } from "./queries/session.tsx";
import { router } from "./router.tsx";

/**
 * Modules that nearly every page uses, in the first chunk: the bundler would create a small chunk for each, and the
 * first page would wait for all of them.
 */
import "../../lib/text/curl.ts";
import "../components/time.tsx";
import "../lib/format.ts";
import "../lib/shell.ts";
import "./queries/buckets.tsx";
import "./queries/found.ts";
import "./queries/use-settled.ts";
import "./shell/page.tsx";

onSessionEnd(() => {
  queryClient.clear();
  router.invalidate();
});

watchConnection();
// A page whose code could not be loaded is loaded now.
onReconnect(() => router.invalidate());

guardNavigation(() =>
  // The browser's own question is asked by the forms.
  router.history.block({ blockerFn: async () => !(await mayLeave()), enableBeforeUnload: false }),
);

createRoot(document.getElementById("app")!).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <ConnectionLost />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
