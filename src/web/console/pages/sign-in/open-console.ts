import { useRouter } from "@tanstack/react-router";
import { queryClient, signInHint } from "../../queries/session.tsx";

/** Opens the console after a sign-in, at a path of its own. */
export function useOpenConsole(to?: string | undefined): () => void {
  const router = useRouter();
  return () => {
    signInHint.set();
    queryClient.clear();
    // Only a path of the console itself is accepted: it begins with one slash.
    router.history.replace(`/console${to && /^\/(?!\/)/.test(to) ? to : "/"}`);
  };
}
