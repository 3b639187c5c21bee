import { useNavigate } from "@tanstack/react-router";
import { CircleUser, LogOut, Settings } from "lucide-react";
import { Menu } from "../../components/menu.tsx";
import { toast } from "../../components/toast.tsx";
import { messageOf } from "../../lib/errors.ts";
import { queryClient, signedIn, signInHint, useSession } from "../queries/session.tsx";

export function UserMenu() {
  const { identity } = useSession();
  const navigate = useNavigate();
  const signOut = async () => {
    try {
      await signedIn.sessions.delete("current");
    } catch (error) {
      toast(messageOf(error), "red");
      return;
    }
    signInHint.clear();
    queryClient.clear();
    await navigate({ to: "/sign-in" });
  };
  return (
    <Menu
      trigger={
        <button type="button" className="button" data-kind="quiet" aria-label={`Signed in as ${identity.role}`}>
          <CircleUser size={16} aria-hidden />
          <span className="user-name">{identity.role}</span>
        </button>
      }
      note={
        <>
          Signed in by token
          <div className="mono wrap-anywhere">{identity.sub}</div>
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
