"""From a session to its events. Read ``protocol``, then ``offline``, which names the order of the rest."""
