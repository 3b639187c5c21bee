import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { lazy, StrictMode, Suspense } from "react";
import { createRoot } from "react-dom/client";
import { ConnectionLost } from "../components/connection-lost.tsx";
import { watchConnection } from "../lib/connection.ts";
import { App } from "./app.tsx";
import { pageState, queryClient } from "./queries/session.ts";

const Preview = lazy(() => import("./preview.tsx"));
const isPreview = pageState().isPreview === true;

if (!isPreview) watchConnection();

createRoot(document.getElementById("app")!).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        {isPreview ? (
          <Suspense>
            <Preview />
          </Suspense>
        ) : (
          <>
            <App />
            <ConnectionLost />
          </>
        )}
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
