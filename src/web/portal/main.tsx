import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ConnectionLost } from "../components/connection-lost.tsx";
import { watchConnection } from "../lib/connection.ts";
import { App } from "./app.tsx";
import { queryClient } from "./queries/session.ts";

watchConnection();

createRoot(document.getElementById("app")!).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <App />
        <ConnectionLost />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
