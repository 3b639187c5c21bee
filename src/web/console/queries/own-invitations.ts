import { queryOptions } from "@tanstack/react-query";
import { signedIn } from "./session.tsx";

/** The invitations that the signed-in person has not accepted. */
export const ownInvitations = queryOptions({
  queryKey: ["own-invitations"],
  queryFn: ({ signal }) => signedIn.sessions.invitations({ signal }),
  staleTime: 60_000,
});
