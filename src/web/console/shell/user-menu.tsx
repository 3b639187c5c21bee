import { useNavigate } from "@tanstack/react-router";
import { CircleUser, LogOut, Settings } from "lucide-react";
import { Menu } from "../../components/menu.tsx";
import { toast } from "../../components/toast.tsx";
import { messageOf } from "../../lib/errors.ts";
import { queryClient, signedIn, signInHint, useSession } from "../queries/session.tsx";

export function UserMenu() {
  const { identity } = useSession();
  const navigate = useNavigate();
  const name = identity.name ?? identity.email ?? identity.role;
  const signOut = async () => {
    let isByProvider = false;
    try {
      // Programs with a token have no provider to sign out from.
      const own = identity.email === undefined ? [] : await signedIn.sessions.list().all();
      isByProvider = own.some(({ isCurrent, method }) => isCurrent && method === "oidc");
      // Requests that arrive after the session's end would be rejected.
      await queryClient.cancelQueries();
      await signedIn.sessions.delete("current");
    } catch (error) {
      toast(messageOf(error), "red");
      return;
    }
    signInHint.clear();
    queryClient.clear();
    if (isByProvider) {
      window.location.assign("/sign-in/provider/sign-out");
      return;
    }
    await navigate({ to: "/sign-in" });
  };
  return (
    <Menu
      trigger={
        <button type="button" className="button" data-kind="quiet" aria-label={`Signed in as ${name}`}>
          <CircleUser size={16} aria-hidden />
          <span className="user-name">{name}</span>
        </button>
      }
      note={
        <>
          {identity.email === undefined ? "Signed in by token" : `Signed in as ${identity.role}`}
          <div className="mono wrap-anywhere">{identity.email ?? identity.sub}</div>
        </>
      }
      actions={[
        {
          label: "Sessions",
          icon: <Settings size={16} aria-hidden />,
          onSelect: () => navigate({ to: "/settings", search: { tab: "sessions" } }),
        },
        { label: "Sign out", icon: <LogOut size={16} aria-hidden />, onSelect: signOut },
      ]}
    />
  );
}
