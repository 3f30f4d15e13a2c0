//! Who may ask: pages of this server, under a name of this machine, with a plain GET.
//!
//! A page from elsewhere in the same browser can send requests to loopback addresses. Three checks keep it out:
//! * `Host` must be a loopback name or what the user bound to: a foreign name that resolves to this machine
//!   (DNS rebinding) is refused;
//! * `Origin`, when present, must be this very server: scripts and WebSockets of other pages are refused;
//! * `Sec-Fetch-Site: cross-site` is refused for data: images or scripts that point here from other pages.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::IpAddr;
use std::sync::Arc;

/// The page holds its script and style inline; it may talk to this server only, and nobody may frame it.
const CONTENT_POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
                              img-src data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
                              frame-ancestors 'none'";

/// Names under which the server may be addressed.
#[derive(Clone, Debug)]
pub struct Names {
    /// The host the user bound to.
    bound: String,
    /// Bound to all interfaces: any numeric address will do. Rebinding needs a name.
    any_address: bool,
}

impl Names {
    pub fn new(bound: &str) -> Self {
        let bound = bound.trim_matches(['[', ']']).to_ascii_lowercase();
        let any_address = bound.parse::<IpAddr>().is_ok_and(|a| a.is_unspecified());
        Self { bound, any_address }
    }

    fn allows(&self, host_and_port: &str) -> bool {
        let host = host_part(host_and_port).to_ascii_lowercase();
        match host.parse::<IpAddr>() {
            Ok(address) => address.is_loopback() || self.any_address || host == self.bound,
            Err(_) => host == "localhost" || host == self.bound,
        }
    }
}

/// `name`, `name:port`, `[v6]` or `[v6]:port` without the port and the brackets.
fn host_part(text: &str) -> &str {
    if let Some(rest) = text.strip_prefix('[') {
        return rest.split_once(']').map_or(rest, |(host, _)| host);
    }
    text.rsplit_once(':').map_or(text, |(host, _)| host)
}

/// Why a request is refused, or nothing.
fn refusal(
    names: &Names,
    method: &Method,
    path: &str,
    headers: &HeaderMap,
) -> Option<(StatusCode, &'static str)> {
    if method != Method::GET && method != Method::HEAD {
        return Some((StatusCode::METHOD_NOT_ALLOWED, "only GET is served"));
    }
    let text = |name| headers.get(name).map(|v: &HeaderValue| v.to_str().unwrap_or_default());
    let Some(host) = text(header::HOST).filter(|host| names.allows(host)) else {
        return Some((StatusCode::FORBIDDEN, "open the viewer under the address it printed"));
    };
    if text(header::ORIGIN).is_some_and(|origin| origin != format!("http://{host}")) {
        return Some((StatusCode::FORBIDDEN, "pages of other origins are refused"));
    }
    let foreign = headers.get("sec-fetch-site").is_some_and(|v| v == "cross-site");
    if foreign && path.starts_with("/api/") {
        return Some((StatusCode::FORBIDDEN, "pages of other sites are refused"));
    }
    None
}

/// Refuses strangers, and marks every answer so that browsers keep it to this page.
pub async fn check(State(names): State<Arc<Names>>, request: Request<Body>, next: Next) -> Response {
    let refused = refusal(&names, request.method(), request.uri().path(), request.headers());
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

    fn status(bound: &str, headers: &[(&'static str, &str)]) -> Option<u16> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(*name, value.parse().unwrap());
        }
        refusal(&Names::new(bound), &Method::GET, "/api/run", &map).map(|(code, _)| code.as_u16())
    }

    #[test]
    fn loopback_names_pass_and_others_do_not() {
        for host in ["127.0.0.1:80", "localhost:1", "LocalHost", "[::1]:9", "127.0.0.9:7"] {
            assert_eq!(status("127.0.0.1", &[("host", host)]), None, "{host}");
        }
        for host in ["example.com", "127.0.0.1.example.com:80", "10.0.0.1:80", "localhost.example.com", ""] {
            assert_eq!(status("127.0.0.1", &[("host", host)]), Some(403), "{host}");
        }
        assert_eq!(status("127.0.0.1", &[]), Some(403));
    }

    #[test]
    fn a_wider_binding_widens_only_what_was_said() {
        assert_eq!(status("0.0.0.0", &[("host", "10.0.0.1:80")]), None);
        assert_eq!(status("0.0.0.0", &[("host", "example.com:80")]), Some(403));
        assert_eq!(status("bench.lan", &[("host", "bench.lan:80")]), None);
        assert_eq!(status("::", &[("host", "[fe80::1]:80")]), None);
    }

    #[test]
    fn origins_must_be_this_server() {
        let host = ("host", "127.0.0.1:8080");
        assert_eq!(status("127.0.0.1", &[host, ("origin", "http://127.0.0.1:8080")]), None);
        for origin in ["http://127.0.0.1:8081", "https://127.0.0.1:8080", "null", "http://evil.example"] {
            assert_eq!(status("127.0.0.1", &[host, ("origin", origin)]), Some(403), "{origin}");
        }
        assert_eq!(status("127.0.0.1", &[host, ("sec-fetch-site", "cross-site")]), Some(403));
        assert_eq!(status("127.0.0.1", &[host, ("sec-fetch-site", "same-origin")]), None);
    }
}
