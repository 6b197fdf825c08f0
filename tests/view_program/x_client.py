"""Programs beside the tested one on its X server: a window manager that pings it, and a window that drags files to it.

Uses only Xlib, through ctypes. Of the XDND protocol it uses the required part of version 5.
"""

import ctypes
import ctypes.util
import time

LIMIT = 200  # seconds; limit for any step, as sanitizers on a busy machine are slow
CLIENT_MESSAGE, SELECTION_REQUEST, SELECTION_NOTIFY = 33, 30, 31
SUBSTRUCTURE_NOTIFY_MASK = 1 << 19
LONG = ctypes.c_long


class ClientMessage(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int),
                ("display", ctypes.c_void_p), ("window", ctypes.c_ulong), ("message_type", ctypes.c_ulong),
                ("format", ctypes.c_int), ("data", LONG * 5)]


class SelectionRequest(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int),
                ("display", ctypes.c_void_p), ("owner", ctypes.c_ulong), ("requestor", ctypes.c_ulong),
                ("selection", ctypes.c_ulong), ("target", ctypes.c_ulong), ("property", ctypes.c_ulong),
                ("time", ctypes.c_ulong)]


class SelectionNotify(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int),
                ("display", ctypes.c_void_p), ("requestor", ctypes.c_ulong), ("selection", ctypes.c_ulong),
                ("target", ctypes.c_ulong), ("property", ctypes.c_ulong), ("time", ctypes.c_ulong)]


class Event(ctypes.Union):
    _fields_ = [("type", ctypes.c_int), ("client", ClientMessage), ("request", SelectionRequest),
                ("notify", SelectionNotify), ("padding", LONG * 24)]


def load_xlib():
    """Returns Xlib, or None if it is not installed."""
    name = ctypes.util.find_library("X11")
    if name is None:
        return None
    xlib = ctypes.CDLL(name)
    xlib.XOpenDisplay.restype = ctypes.c_void_p
    for function in ("XDefaultRootWindow", "XCreateSimpleWindow", "XInternAtom"):
        getattr(xlib, function).restype = ctypes.c_ulong
    return xlib


class Client:
    """A connection to the server, which exchanges messages with the clients of other windows."""

    def __init__(self, display):
        self.xlib = load_xlib()
        self.display = ctypes.c_void_p(self.xlib.XOpenDisplay(display.encode()))
        if not self.display:
            raise RuntimeError(f"no display {display}")
        self.root = ctypes.c_ulong(self.xlib.XDefaultRootWindow(self.display))

    def atom(self, name):
        return self.xlib.XInternAtom(self.display, name.encode(), 0)

    def send(self, target, name, *data):
        event = Event()
        event.client.type, event.client.window, event.client.format = CLIENT_MESSAGE, target, 32
        event.client.message_type = self.atom(name)
        event.client.data[:] = [*data, *[0] * (5 - len(data))]
        self.xlib.XSendEvent(self.display, ctypes.c_ulong(target), 0, LONG(0), ctypes.byref(event))
        self.xlib.XFlush(self.display)

    def answer(self, request):
        """Answers another client's request for this one's selection."""

    def wait_for(self, name):
        """Waits for a message of this name, answers requests meanwhile, and returns its data."""
        end = time.monotonic() + LIMIT
        event = Event()
        while time.monotonic() < end:
            if not self.xlib.XPending(self.display):
                time.sleep(0.005)
                continue
            self.xlib.XNextEvent(self.display, ctypes.byref(event))
            if event.type == SELECTION_REQUEST:
                self.answer(event.request)
            if event.type == CLIENT_MESSAGE and event.client.message_type == self.atom(name):
                return list(event.client.data)
        raise TimeoutError(f"no {name}: not within {LIMIT} s")

    def close(self):
        self.xlib.XCloseDisplay(self.display)


class Manager(Client):
    """A window manager. Windows answer its pings by messages to the root window (Extended Window Manager Hints)."""

    def __init__(self, display):
        super().__init__(display)
        self.xlib.XSelectInput(self.display, self.root, LONG(SUBSTRUCTURE_NOTIFY_MASK))

    def ping(self, target):
        """Returns after the target has read all events before this call."""
        self.send(target, "WM_PROTOCOLS", self.atom("_NET_WM_PING"), 0, target)
        self.wait_for("WM_PROTOCOLS")


class Source(Client):
    """A window of one pixel that offers files."""

    def __init__(self, display):
        super().__init__(display)
        self.window = self.xlib.XCreateSimpleWindow(self.display, self.root, 0, 0, 1, 1, 0, LONG(0), LONG(0))
        self.content = b""

    def answer(self, request):
        """Hands over the names of the dragged files."""
        self.xlib.XChangeProperty(self.display, ctypes.c_ulong(request.requestor), ctypes.c_ulong(request.property),
                                  ctypes.c_ulong(request.target), 8, 0, self.content, len(self.content))
        event = Event()
        notify = event.notify
        notify.type, notify.requestor, notify.selection = SELECTION_NOTIFY, request.requestor, request.selection
        notify.target, notify.property, notify.time = request.target, request.property, request.time
        self.xlib.XSendEvent(self.display, ctypes.c_ulong(request.requestor), 0, LONG(0), ctypes.byref(event))
        self.xlib.XFlush(self.display)

    def drop(self, target, place, paths):
        """Drags files to a place in the target's window, and drops them."""
        uris = self.atom("text/uri-list")
        self.content = "".join(f"file://{path}\r\n" for path in paths).encode()
        selection = ctypes.c_ulong(self.atom("XdndSelection"))
        self.xlib.XSetSelectionOwner(self.display, selection, ctypes.c_ulong(self.window), LONG(0))
        self.send(target, "XdndEnter", self.window, 5 << 24, uris)
        position = (place[0] << 16 | place[1], 0, self.atom("XdndActionCopy"))
        self.send(target, "XdndPosition", self.window, 0, *position)
        if not self.wait_for("XdndStatus")[1] & 1:
            raise RuntimeError("the window takes no files")
        self.send(target, "XdndDrop", self.window, 0, 0)
        self.wait_for("XdndFinished")
