"""A throwaway certificate authority for tests of TLS."""

import datetime
import ssl
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass(frozen=True, slots=True)
class Certificate:
    """Files in PEM form."""

    certificate: Path
    key: Path


class Authority:
    """Signs certificates for loopback names; everything lies in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name("hames test authority")
        ca = x509.BasicConstraints(ca=True, path_length=None)
        signs = x509.KeyUsage(
            digital_signature=True,
            content_commitment=False,
            key_encipherment=False,
            data_encipherment=False,
            key_agreement=False,
            key_cert_sign=True,
            crl_sign=True,
            encipher_only=False,
            decipher_only=False,
        )
        signed = (
            _builder(self._name, self._name, self._key.public_key())
            .add_extension(ca, critical=True)
            .add_extension(signs, critical=True)
            .sign(self._key, hashes.SHA256())
        )
        self.file = folder / "authority.pem"
        self.file.write_bytes(signed.public_bytes(serialization.Encoding.PEM))

    def issue(self, host: str, password: str | None = None) -> Certificate:
        """A certificate for a name or an address."""
        key = ec.generate_private_key(ec.SECP256R1())
        name: x509.GeneralName = x509.DNSName(host)
        if host.replace(".", "").isdigit():
            name = x509.IPAddress(ip_address(host))
        signed = (
            _builder(_name(host), self._name, key.public_key())
            .add_extension(x509.SubjectAlternativeName([name]), critical=False)
            .sign(self._key, hashes.SHA256())
        )
        found = Certificate(self._folder / f"{host}.pem", self._folder / f"{host}.key")
        found.certificate.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
        protection: serialization.KeySerializationEncryption = serialization.NoEncryption()
        if password is not None:
            protection = serialization.BestAvailableEncryption(password.encode())
        found.key.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, protection
            )
        )
        return found

    def server_context(self, host: str, *, ask_client: bool = False) -> ssl.SSLContext:
        """The context of a server; `ask_client` wants a certificate of this authority."""
        issued = self.issue(host)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(issued.certificate, issued.key)
        if ask_client:
            context.load_verify_locations(self.file)
            context.verify_mode = ssl.CERT_REQUIRED
        return context


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey
) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
    )
