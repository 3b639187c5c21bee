import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ConnectionLost } from "../components/connection-lost.tsx";
import { connectedQueries, watchConnection } from "../lib/connection.ts";
import { App } from "./app.tsx";

const queryClient = new QueryClient({
  defaultOptions: {
    queries: { ...connectedQueries, staleTime: Number.POSITIVE_INFINITY },
    mutations: { retry: false },
  },
});

watchConnection();

createRoot(document.getElementById("app")!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <App />
      <ConnectionLost />
    </QueryClientProvider>
  </StrictMode>,
);
