//! Who may ask: pages of this server, under a name of this machine, with a plain GET.
//!
//! A page from elsewhere in the same browser can send requests to loopback addresses. Three checks
//! keep it out:
//! * `Host` must be, from its first to its last character, a loopback name or what the user bound
//!   to, and the port of this server: a foreign name that resolves to this machine (DNS rebinding)
//!   is refused;
//! * `Origin`, when present, must be this very server: scripts and WebSockets of other pages are
//!   refused;
//! * `Sec-Fetch-Site: cross-site` is refused for data: images or scripts that point here from other
//!   pages.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::HeaderName;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::IpAddr;
use std::sync::Arc;

/// The port of an address that names none.
const HTTP_PORT: u16 = 80;

/// The page holds its script and style inline; it may talk to this server only, and nobody may
/// frame it.
const CONTENT_POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
                              img-src data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
                              frame-ancestors 'none'";

/// Names under which the server may be addressed.
#[derive(Clone, Debug)]
pub struct Names {
    /// The host the user bound to.
    bound: String,
    /// The port listened on.
    port: u16,
    /// Bound to all interfaces: any numeric address will do. Rebinding needs a name.
    any_address: bool,
}

impl Names {
    pub fn new(bound: &str, port: u16) -> Self {
        let bound = bound.trim_matches(['[', ']']).to_ascii_lowercase();
        let any_address = bound.parse::<IpAddr>().is_ok_and(|a| a.is_unspecified());
        Self { bound, port, any_address }
    }

    fn allows(&self, host_and_port: &str) -> bool {
        let Some(Host { name, address, port }) = Host::parse(host_and_port) else { return false };
        let is_known = match address {
            Some(address) => address.is_loopback() || self.any_address,
            None => name.eq_ignore_ascii_case("localhost"),
        };
        port == self.port && (is_known || name.eq_ignore_ascii_case(&self.bound))
    }
}

/// What a `Host` says when it has the form `name`, `name:port`, `[v6]` or `[v6]:port`, and nothing
/// more.
struct Host<'a> {
    name: &'a str,
    /// When the name is numeric.
    address: Option<IpAddr>,
    port: u16,
}

impl<'a> Host<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let (name, address, rest) = if let Some(inner) = text.strip_prefix('[') {
            let (name, rest) = inner.split_once(']')?;
            (name, Some(IpAddr::V6(name.parse().ok()?)), rest)
        } else {
            let (name, rest) = text.split_at(text.find(':').unwrap_or(text.len()));
            (name, name.parse().ok().map(IpAddr::V4), rest)
        };
        let port = match rest.strip_prefix(':') {
            // Parsing a number alone would also take a sign.
            Some(digits) if digits.bytes().all(|b| b.is_ascii_digit()) => digits.parse().ok()?,
            None if rest.is_empty() => HTTP_PORT,
            _ => return None,
        };
        Some(Self { name, address, port })
    }
}

/// The only value of a header; an error when there are several, or it is not text.
fn only_value(headers: &HeaderMap, name: HeaderName) -> Result<Option<&str>, ()> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(drop),
        _ => Err(()),
    }
}

/// Why a request is refused, or nothing.
fn refusal(
    names: &Names,
    method: &Method,
    address: &Uri,
    headers: &HeaderMap,
) -> Option<(StatusCode, &'static str)> {
    if method != Method::GET && method != Method::HEAD {
        return Some((StatusCode::METHOD_NOT_ALLOWED, "only GET is served"));
    }
    // A request line may name a host, too, and then counts for more than the header.
    let is_named_well = address.authority().is_none_or(|name| names.allows(name.as_str()));
    let host = only_value(headers, header::HOST).ok().flatten();
    let Some(host) = host.filter(|host| is_named_well && names.allows(host)) else {
        return Some((StatusCode::FORBIDDEN, "open the viewer under the address it printed"));
    };
    let is_own = match only_value(headers, header::ORIGIN) {
        Ok(origin) => origin.is_none_or(|origin| origin == format!("http://{host}")),
        Err(()) => false,
    };
    if !is_own {
        return Some((StatusCode::FORBIDDEN, "pages of other origins are refused"));
    }
    let foreign = headers.get("sec-fetch-site").is_some_and(|v| v == "cross-site");
    if foreign && address.path().starts_with("/api/") {
        return Some((StatusCode::FORBIDDEN, "pages of other sites are refused"));
    }
    None
}

/// Refuses strangers, and marks every answer so that browsers keep it to this page.
pub async fn check(State(names): State<Arc<Names>>, request: Request<Body>, next: Next) -> Response {
    let refused = refusal(&names, request.method(), request.uri(), request.headers());
    let mut response = match refused {
        Some(answer) => answer.into_response(),
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CONTENT_SECURITY_POLICY, CONTENT_POLICY),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    const PORT: u16 = 8080;

    fn refused(bound: &str, address: &str, headers: &[(&'static str, &str)]) -> Option<u16> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().unwrap());
        }
        let address = address.parse().unwrap();
        refusal(&Names::new(bound, PORT), &Method::GET, &address, &map).map(|(code, _)| code.as_u16())
    }

    fn status(bound: &str, headers: &[(&'static str, &str)]) -> Option<u16> {
        refused(bound, "/api/run", headers)
    }

    #[test]
    fn loopback_names_pass_and_others_do_not() {
        for host in ["127.0.0.1:8080", "localhost:8080", "LocalHost:8080", "[::1]:8080", "127.0.0.9:8080"] {
            assert_eq!(status("127.0.0.1", &[("host", host)]), None, "{host}");
        }
        for host in ["evil.com:8080", "10.0.0.1:8080", "[fe80::1]:8080", "0.0.0.0:8080", ":8080", ""] {
            assert_eq!(status("127.0.0.1", &[("host", host)]), Some(403), "{host}");
        }
        assert_eq!(status("127.0.0.1", &[]), Some(403));
    }

    #[test]
    fn hosts_are_compared_whole() {
        for host in [
            "localhost.evil.com:8080",
            "127.0.0.1.evil.com:8080",
            "localhost:8080@evil.com",
            "evil.com@localhost:8080",
            "localhost:8080.evil.com",
            "localhost:evil.com:8080",
            "localhost:8080:8080",
            "localhost.:8080",
            "localhost :8080",
            "localhost:+8080",
            "localhost:",
            "localhost:8081",
            "localhost",
            "localhost:8080/x",
            "localhost:8080, evil.com",
            "127.1:8080",
            "2130706433:8080",
            "0x7f.0.0.1:8080",
            "::1:8080",
            "[::1]evil.com:8080",
            "[::1].evil.com:8080",
            "[::1]:8080@evil.com",
            "[::1%25lo]:8080",
            "[127.0.0.1]:8080",
            "[localhost]:8080",
            "[::1",
        ] {
            assert_eq!(status("127.0.0.1", &[("host", host)]), Some(403), "{host}");
        }
    }

    #[test]
    fn one_host_only() {
        let own = ("host", "localhost:8080");
        assert_eq!(status("127.0.0.1", &[own, ("host", "evil.com:8080")]), Some(403));
        assert_eq!(status("127.0.0.1", &[("host", "evil.com:8080"), own]), Some(403));
        assert_eq!(refused("127.0.0.1", "http://localhost:8080/api/run", &[own]), None);
        assert_eq!(refused("127.0.0.1", "http://evil.com:8080/api/run", &[own]), Some(403));
        assert_eq!(refused("127.0.0.1", "http://evil@localhost:8080/api/run", &[own]), Some(403));
        let origins = [own, ("origin", "http://localhost:8080"), ("origin", "http://evil.com")];
        assert_eq!(status("127.0.0.1", &origins), Some(403));
    }

    #[test]
    fn the_usual_port_may_be_left_out() {
        let names = Names::new("127.0.0.1", 80);
        assert!(names.allows("localhost") && names.allows("[::1]") && names.allows("127.0.0.1:80"));
        assert!(!names.allows("localhost:8080"));
    }

    #[test]
    fn a_wider_binding_widens_only_what_was_said() {
        assert_eq!(status("0.0.0.0", &[("host", "10.0.0.1:8080")]), None);
        assert_eq!(status("0.0.0.0", &[("host", "evil.com:8080")]), Some(403));
        assert_eq!(status("bench.lan", &[("host", "Bench.lan:8080")]), None);
        assert_eq!(status("bench.lan", &[("host", "bench.lan.evil.com:8080")]), Some(403));
        assert_eq!(status("10.0.0.1", &[("host", "10.0.0.1:8080")]), None);
        assert_eq!(status("10.0.0.1", &[("host", "10.0.0.2:8080")]), Some(403));
        assert_eq!(status("::", &[("host", "[fe80::1]:8080")]), None);
    }

    #[test]
    fn origins_must_be_this_server() {
        let host = ("host", "127.0.0.1:8080");
        assert_eq!(status("127.0.0.1", &[host, ("origin", "http://127.0.0.1:8080")]), None);
        for origin in ["http://127.0.0.1:8081", "https://127.0.0.1:8080", "null", "http://evil.com"] {
            assert_eq!(status("127.0.0.1", &[host, ("origin", origin)]), Some(403), "{origin}");
        }
        assert_eq!(status("127.0.0.1", &[host, ("sec-fetch-site", "cross-site")]), Some(403));
        assert_eq!(status("127.0.0.1", &[host, ("sec-fetch-site", "same-origin")]), None);
    }
}
