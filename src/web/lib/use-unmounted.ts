import { useEffect, useRef } from "react";

/** Whether the component is unmounted. Its requests may end later, when the user is on another page. */
export function useUnmounted(): { readonly current: boolean } {
  const isUnmounted = useRef(false);
  useEffect(() => {
    isUnmounted.current = false;
    return () => {
      isUnmounted.current = true;
    };
  }, []);
  return isUnmounted;
}
